/// The state transitions of an order; pure.
extension OrderRow {
  /// Returns the field in which two requests under one key differ; nil if they are equal.
  func differingField(from opening: OrderOpening) -> String? {
    if store != opening.store { return "store" }
    if product != opening.product { return "product" }
    if quantity != opening.quantity { return "quantity" }
    if request.hasBytes(of: opening.request) { return nil }
    guard let first = Self.announcement(request), let second = Self.announcement(opening.request) else {
      return "order"
    }
    if first == second { return nil }
    let names = (first.members + second.members).map(\.name)
    return names.first { (first[$0] ?? .null) != (second[$0] ?? .null) } ?? "order"
  }

  /// The member of an announcement that names the payer's client; the first value is kept.
  package static let claimName = "claim"

  /// The member with the order's costs in virtual currency, which the backend adds: it is not part of the request.
  package static let costsName = "costs"

  /// Returns the announced members, without the client's claim and the costs; nil if the text cannot be read.
  private static func announcement(_ request: String) -> JSONObject? {
    do throws(JSONError) {
      var members = try JSONValue.parse(request).object
      members?[claimName] = nil
      members?[costsName] = nil
      return members
    } catch {
      return nil
    }
  }

  /// Whether its payment was refunded before the delivery was confirmed.
  ///
  /// Like a success, it needs no more work. A success is never due; a withdrawn order has the instant in `dueAt`.
  package var isWithdrawn: Bool { state == .success && dueAt != .max }

  /// Added to the number of tries while a refund is requested: no further try begins.
  static let refundMark: Int64 = 1 << 40

  /// Whether a refund is requested from the store.
  var isRefundRequested: Bool { deliveryAttempts >= Self.refundMark }

  /// The number of delivery tries that have begun.
  var tryCount: Int64 { deliveryAttempts % Self.refundMark }

  /// Whether the purchase matches the announcement.
  package func fits(_ purchase: PurchaseRow) -> Bool {
    store == purchase.identity.store && product == purchase.product && quantity == purchase.quantity
  }

  /// Records the purchase that paid for the order, in time or not.
  ///
  /// If there is a delivery, its first try begins now. A second try is due even if the outcome of the first is never
  /// reported.
  mutating func complete(by purchase: PurchaseRow, at now: Timestamp, retryAfterMilliseconds: Int64?) {
    self.purchase = purchase.number
    updatedAt = now
    if let retryAfterMilliseconds {
      state = .deliveryPending
      deliveryAttempts = 1
      // A single try has no second one.
      dueAt = now.advanced(milliseconds: retryAfterMilliseconds).milliseconds
    } else {
      state = .success
      dueAt = .max
    }
  }

  /// Takes the step, or changes nothing if the order cannot take it.
  mutating func take(_ step: OrderStep, at now: Timestamp) -> Bool {
    switch step {
    case .fail:
      guard state == .pending else { return false }
      state = .failed
      // An order past its deadline failed at the deadline, not when this step failed it.
      dueAt = min(dueAt, now.milliseconds)
    case .deliver:
      // The confirmation may follow a refund: the items are delivered then.
      guard state == .deliveryPending || isWithdrawn else { return false }
      state = .success
      dueAt = .max
    case .tryDelivery(let attempts, let nextAt):
      guard state == .deliveryPending, deliveryAttempts == attempts else { return false }
      deliveryAttempts += 1
      dueAt = nextAt?.milliseconds ?? .max
    case .postponeDelivery(let due, let nextAt):
      guard state == .deliveryPending, dueAt == due.milliseconds else { return false }
      dueAt = nextAt.milliseconds
    case .requestRefund(let due, let nextAt):
      guard state == .deliveryPending, dueAt == due.milliseconds else { return false }
      if !isRefundRequested { deliveryAttempts += Self.refundMark }
      dueAt = nextAt.milliseconds
    case .giveUpRefund:
      guard state == .deliveryPending, dueAt != .max else { return false }
      deliveryAttempts = tryCount
      dueAt = .max
    case .withdraw:
      guard state == .deliveryPending else { return false }
      state = .success
      deliveryAttempts = tryCount
      dueAt = now.milliseconds
    case .resume:
      guard isWithdrawn else { return false }
      state = .deliveryPending
      deliveryAttempts = 0
      dueAt = now.milliseconds
    }
    updatedAt = now
    return true
  }
}
