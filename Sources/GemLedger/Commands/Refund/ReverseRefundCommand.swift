/// Gives back the clawed-back currency of a refund that the store has reversed.
final class ReverseRefundCommand: Command {
  let reversal: StoreRefundReversal

  init(_ reversal: StoreRefundReversal) { self.reversal = reversal }

  var action: LedgerCommand.Action { .reverseRefund(self) }

  static let keyFields = KeyFields([("refund", 12), ("revoked_at", 12)], rest: "refund")
  var asked: Int64 {
    Fingerprint.asked(
      .reversedRefund,
      [Fingerprint.digest(of: reversal.identity), Fingerprint.digest(of: reversal.revokedAt.map(\.milliseconds))],
      in: Self.keyFields)
  }
  var namedCustomers: NamedCustomers { .none }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    LedgerCommand.Footprint(purchase: reversal.identity, subject: .owner)
  }
  var independence: Independence { .ofOtherPurchases }

  /// - Throws: as ``RefundCommand``.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    let notice = EvidenceRow(
      identity: PurchaseIdentity(
        store: reversal.store, environment: try decider.books.work.purchases.number(of: reversal.environment),
        transactionID: reversal.transactionID),
      kind: reversal.revokedAt != nil ? .reversal : reversal.statement?.kind ?? .reversalOfAll,
      revokedAt: reversal.revokedAt ?? Timestamp(milliseconds: 0), signedAt: reversal.signedAt,
      statement: reversal.statement)
    return try RefundNotices.take(&decider, command, notice)
  }
}

extension StoreRefundReversal {
  var identity: LedgerCommand.PurchaseClaim {
    LedgerCommand.PurchaseClaim(store: store, environment: environment, transactionID: transactionID)
  }
}

extension LedgerCommand {
  /// Gives back the clawed-back amounts of a refund that the store has reversed.
  ///
  /// The ledger finds the owner by the purchase; ``customer`` is the store transaction's id and names no customer.
  public static func reverseRefund(
    _ reversal: StoreRefundReversal, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      ReverseRefundCommand(reversal), customer: CustomerID(ofNobody: reversal.transactionID), key: key,
      details: details)
  }
}

extension Ledger {
  /// Gives back exactly the amounts of a refund that the store reversed.
  ///
  /// Debts that the refund made are cancelled first; the taken amounts return to their original lots.
  ///
  /// - Returns: The amounts given back; without entries if there was nothing to give back.
  /// - Throws: ``LedgerError`` with, in order of precedence, `key_conflict`, `amount_out_of_range` (it would pass the
  ///   hard limit).
  @discardableResult
  public func reverseRefund(
    _ reversal: StoreRefundReversal, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.reverseRefund(reversal, key: key))
  }
}
