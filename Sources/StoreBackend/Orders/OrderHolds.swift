internal import GemLedger

// An order that costs virtual currency in addition to its price holds it during the wait for the payment. The steps'
// keys are derived from the purchase code, so that any later call, also after a crash, finishes the step that the
// order's state requires.

/// Holds the virtual currency that an order costs in addition to its price, and spends or releases it.
struct OrderHolds: Sendable {
  let context: BackendContext
  let orders: OrderReading

  /// How much longer than its order a hold lasts, so that a last-minute payment finds it.
  static let holdGraceMilliseconds: Int64 = 3_600_000

  /// Completes the holds of all orders; see `LocalBackend.resolveOrders()`.
  func postAll() async throws(LedgerError) -> [ResolvedOrder] {
    var search = try OrderHoldSearch(in: context.ledger)
    try await search.run()
    var resolved: [ResolvedOrder] = []
    for code in search.waiting where !Task.isCancelled {
      let result: Result<OrderHold, LedgerError>
      do throws(LedgerError) {
        guard let standing = try await endHold(of: orders.order(code)) else {
          search.remove(code)
          continue
        }
        result = .success(standing)
      } catch {
        result = .failure(error)
      }
      let one = ResolvedOrder(code: code, result: result)
      resolved.append(one)
      if one.isResolved { search.remove(code) }
    }
    try search.save()
    return resolved
  }

  /// Returns the virtual currency that the requested units cost.
  ///
  /// - Throws: `amount_out_of_range`; `limit_exceeded` if orders wait longer than a hold can last.
  func costs(of request: OrderRequest) throws(LedgerError) -> [Adjustment] {
    guard let prices = context.policy.currencyPrices[request.product] else { return [] }
    guard
      Self.holdDuration(of: context.policy.orderLifetimeMilliseconds)
        > .milliseconds(context.policy.orderLifetimeMilliseconds)
    else {
      throw LedgerError(
        .limitExceeded,
        "An order that costs currency waits less than 30 days: no hold lasts longer. Set the policy's "
          + "orderLifetimeMilliseconds lower.")
    }
    var costs: [Adjustment] = []
    for price in prices {
      let (amount, overflow) = price.amount.multipliedReportingOverflow(by: request.quantity)
      guard !overflow else {
        throw LedgerError(
          .amountOutOfRange, "\(request.quantity) times \(price.amount) \(price.currency) is too much.",
          details: [.integer("amount", request.quantity)])
      }
      costs.append(Adjustment(price.currency, amount))
    }
    return costs
  }

  /// Holds the cost of a new order; the order fails if the hold is refused.
  func hold(for order: Order, whileAnonymous: Bool) async throws(LedgerError) -> Order {
    var steps = try steps(of: order)
    steps.isOfAnonymous = whileAnonymous
    switch order.status {
    case .pending:
      do throws(LedgerError) {
        _ = try await steps.hold()
      } catch {
        if error.isRefusal {
          _ = try await context.ledger.book(.advanceOrder(order.code, .fail, customer: order.request.customer))
        }
        throw error
      }
    case .failed where !order.isPaid:
      if let refusal = try steps.refusal() { throw refusal }
    case .success, .deliveryPending, .failed: _ = try await endHold(of: order)
    }
    return order
  }

  func endHold(of order: Order) async throws(LedgerError) -> OrderHold? {
    guard !order.costs.isEmpty else { return nil }
    let steps = try steps(of: order)
    let hold = try steps.begun()
    switch order.status {
    case .pending: return .held
    case .failed where !order.isPaid:
      if let hold { try await steps.release(hold, because: "The order \(order.code) was not paid for.") }
      return .released
    // The cost in virtual currency stays spent after a refund by the store.
    case .success, .deliveryPending, .failed:
      switch try await steps.spend(hold) {
      case .paid(let receipt): return .spent(receipt)
      case .unpaid(let why): return .unpaid(why)
      }
    }
  }

  private func steps(of order: Order) throws(LedgerError) -> HoldSteps {
    try HoldSteps(
      ledger: context.ledger, customer: order.request.customer, amounts: order.costs,
      key: IdempotencyKey("order/\(order.code)"), reference: OrderDocument.reference(of: order.code),
      duration: Self.holdDuration(of: order.deadline.milliseconds(since: order.createdAt)))
  }

  private static func holdDuration(of lifetimeMilliseconds: Int64) -> Duration {
    min(.milliseconds(lifetimeMilliseconds + holdGraceMilliseconds), Limits.holdDuration)
  }
}

extension OrderDocument {
  /// Returns the reference that every step of the order's hold carries.
  static func reference(of code: PurchaseCode) throws(LedgerError) -> Reference {
    let document: JSONValue = ["order": .string(code.text)]
    return try Reference(document.text())
  }
}

extension PurchaseCode {
  /// Returns the code in a text; nil if the text is no code.
  static func read(_ text: String) -> Self? {
    do throws(LedgerError) { return try Self(text) } catch { return nil }
  }
}
