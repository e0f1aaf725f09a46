#if PostgreSQL
internal import GemLedger

/// Writes of refunds, and of the store's notices about them.
struct RefundWrites: SessionPart {
  let session: PostgresSession

  func requests(_ cold: ColdChanges) throws(LedgerError) -> [PostgresRequest] {
    guard !cold.refunds.isEmpty else { return [] }
    let (rows, parts) = cold.partsOfRefunds()
    let owned = try rows.map { (row) throws(LedgerError) in
      OwnedRefund(row: row.refund, part: row.part, owner: try owner(of: row.refund.purchase))
    }
    let requests = [Self.refunds(owned)]
    if parts.isEmpty { return requests }
    let payers = Dictionary(owned.map { ($0.row.transaction, $0.owner) }) { first, _ in first }
    guard parts.allSatisfy({ payers[$0.transaction] != nil }) else { throw .defect("A refund's part has no refund") }
    return requests + [Self.parts(parts, payers)]
  }

  private func owner(of purchase: Int64) throws(LedgerError) -> CustomerNumber {
    if let known = prefetched?.purchaseOwners[purchase] { return known }
    guard let row = try session.purchase(number: purchase) else {
      throw LedgerError(
        .storageDamaged, "\(storageName) has no purchase \(purchase), which a refund names. Run verify.")
    }
    return row.customer
  }

  private struct OwnedRefund {
    let row: RefundRow
    /// The only one.
    let part: RefundPartRow?
    let owner: CustomerNumber
  }

  private static func refunds(_ rows: [OwnedRefund]) -> PostgresRequest {
    PostgresRequest(
      """
      INSERT INTO refunds (customer, purchase, transaction_number, kind, revoked_at, signed_at, evidence_at,
        extent_kind, extent, share, share_of, freezes, lot, part_kind, source_lot, amount)
      SELECT \(BulkInsert.lists(16))
      """
    ) {
      $0.add(rows, \.owner)
      $0.add(rows, \.row.purchase)
      $0.add(rows, \.row.transaction)
      $0.add(rows, \.row.kind.rawValue)
      $0.add(rows, \.row.revokedAt.milliseconds)
      $0.add(rows, \.row.signedAt.milliseconds)
      $0.add(rows) { $0.row.evidenceAt == $0.row.signedAt ? nil : $0.row.evidenceAt.milliseconds }
      $0.add(rows) { $0.row.extent?.stored.kind }
      $0.add(rows) { $0.row.extent?.stored.amount }
      $0.add(rows, \.row.share.part)
      $0.add(rows, \.row.share.whole)
      $0.add(rows, \.row.freezes)
      $0.add(rows) { $0.part?.lot }
      $0.add(rows) { $0.part?.kind.rawValue }
      $0.add(rows) { $0.part?.source }
      $0.add(rows) { $0.part?.amount }
    }
  }

  private static func parts(
    _ rows: [RefundPartRow], _ payers: [TransactionNumber: CustomerNumber]
  ) -> PostgresRequest {
    PostgresRequest(
      """
      INSERT INTO refund_parts (customer, transaction_number, position, lot, kind, source_lot, amount)
      SELECT \(BulkInsert.lists(7))
      """
    ) {
      $0.add(rows) { payers[$0.transaction] ?? 0 }
      $0.add(rows, \.transaction)
      $0.add(rows, \.position)
      $0.add(rows, \.lot)
      $0.add(rows, \.kind.rawValue)
      $0.add(rows, \.source)
      $0.add(rows, \.amount)
    }
  }

  static func keep(_ rows: [RefundEvidenceRow]) -> PostgresRequest {
    struct CustomerAddress: Hashable {
      let identity: PurchaseIdentity
      let kind: Int64
      let revokedAt: Timestamp
    }
    let rows = BulkInsert.last(rows) {
      CustomerAddress(identity: $0.identity, kind: $0.kind.rawValue, revokedAt: $0.revokedAt)
    }
    return PostgresRequest(
      """
      INSERT INTO refund_evidence (store_transaction, environment, store, kind, revoked_at, signed_at, extent_kind,
        extent) SELECT \(BulkInsert.lists(8))
      ON CONFLICT (store_transaction, environment, store, kind, revoked_at)
        DO UPDATE SET signed_at = excluded.signed_at, extent_kind = excluded.extent_kind, extent = excluded.extent
      """
    ) {
      $0.add(rows, text: \.identity.transactionID.text)
      $0.add(rows, \.identity.environment)
      $0.add(rows, \.identity.store.number)
      $0.add(rows, \.kind.rawValue)
      $0.add(rows, \.revokedAt.milliseconds)
      $0.add(rows, \.signedAt.milliseconds)
      $0.add(rows, \.extent.stored.kind)
      $0.add(rows, \.extent.stored.amount)
    }
  }
}
#endif
