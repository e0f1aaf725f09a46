/// Claws back the grant of a refunded purchase.
final class RefundCommand: Command {
  let refund: StoreRefund

  init(_ refund: StoreRefund) { self.refund = refund }

  var action: LedgerCommand.Action { .refund(self) }

  static let keyFields = KeyFields([("refund", 8), ("revoked_at", 8), ("extent", 8)], rest: "refund")
  var asked: Int64 {
    // The date of a signature is the transport's: a store signs the same refund again with each delivery.
    Fingerprint.asked(
      .refund,
      [
        Fingerprint.digest(of: refund.identity), Fingerprint.digest(of: refund.revokedAt.milliseconds),
        Fingerprint.digest(of: refund.extent),
      ], in: Self.keyFields)
  }
  var namedCustomers: NamedCustomers { .none }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    LedgerCommand.Footprint(purchase: refund.identity, subject: .owner)
  }
  var independence: Independence { .ofOtherPurchases }

  /// Claws back the grant of a refunded purchase; a refund before its purchase is kept and booked with it.
  ///
  /// Evidence without anything new is answered before the key is checked, as for a credited store transaction: the
  /// store may redeliver it under any key.
  ///
  /// - Throws: in order of precedence `amount_out_of_range`, `key_conflict`, and `amount_out_of_range` if the returned
  ///   amounts would pass the hard limit.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    try RefundRules.check(refund.extent)
    let notice = EvidenceRow(
      identity: PurchaseIdentity(
        store: refund.store, environment: try decider.books.work.purchases.number(of: refund.environment),
        transactionID: refund.transactionID),
      kind: .refund, revokedAt: refund.revokedAt, signedAt: refund.signedAt, extent: refund.extent,
      statement: refund.statement)
    return try RefundNotices.take(&decider, command, notice)
  }
}

extension StoreRefund {
  var identity: LedgerCommand.PurchaseClaim {
    LedgerCommand.PurchaseClaim(store: store, environment: environment, transactionID: transactionID)
  }
}

extension Fingerprint {
  fileprivate static func digest(of extent: StoreRefund.Extent) -> UInt64 {
    var hash = StableHash()
    switch extent {
    case .full: hash.combine(1)
    case .milliPercent(let share): combine(2, share)
    case .quantity(let units): combine(3, units)
    case .totalQuantity(let units): combine(4, units)
    }
    return hash.value

    func combine(_ tag: UInt64, _ number: Int64) {
      hash.combine(tag)
      hash.combine(UInt64(bitPattern: number))
    }
  }
}

extension LedgerCommand {
  /// Claws back the refunded share of a purchase's grant.
  ///
  /// The ledger finds the owner by the purchase; ``customer`` is the store transaction's id and names no customer.
  public static func refund(
    _ refund: StoreRefund, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      RefundCommand(refund), customer: CustomerID(ofNobody: refund.transactionID), key: key, details: details)
  }
}

extension Ledger {
  /// Claws back the refunded share of a purchase's grant.
  ///
  /// The amount due is the refunded share of the grant, rounded up, in each currency. It is taken from the purchase's
  /// lots; for spent currency the currency's refund policy decides. The store may deliver evidence in any order and any
  /// number of times. The newest evidence counts; evidence without news returns the first booking again. A refund that
  /// arrives before its purchase is kept and booked with it: its booking has no entries and has
  /// ``Booking/isAwaitingPurchase``.
  ///
  /// - Returns: The amounts taken, from the present owner of the purchase.
  /// - Throws: ``LedgerError`` with, in order of precedence, `amount_out_of_range` (the extent), `key_conflict`,
  ///   `amount_out_of_range` (newer evidence gives back an amount that would pass the hard limit).
  @discardableResult
  public func refund(_ refund: StoreRefund, key: IdempotencyKey? = nil) throws(LedgerError) -> Booking {
    try book(.refund(refund, key: key))
  }
}
