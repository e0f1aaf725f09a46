#if PostgreSQL
internal import GemLedger

/// Writes of refunds, and of the store's notices about them.
struct RefundWrites: SessionPart {
  let session: PostgresSession

  func requests(_ cold: ColdChanges) throws(LedgerError) -> [PostgresRequest] {
    guard !cold.refunds.isEmpty else { return [] }
    let (rows, parts) = cold.partsOfRefunds()
    let owners = try rows.map { (row) throws(LedgerError) in try owner(of: row.refund.purchase) }
    let requests = [RefundWithPart.insert(rows, owners: owners)]
    if parts.isEmpty { return requests }
    let payers = Dictionary(zip(rows.map(\.refund.transaction), owners)) { first, _ in first }
    let payersOfParts = parts.compactMap { payers[$0.transaction] }
    guard payersOfParts.count == parts.count else { throw .defect("A refund's part has no refund") }
    return requests + [RefundPartRow.insert(parts, owners: payersOfParts)]
  }

  private func owner(of purchase: Int64) throws(LedgerError) -> CustomerNumber {
    if let known = prefetched?.purchaseOwners[purchase] { return known }
    guard let row = try session.purchase(number: purchase) else {
      throw LedgerError(
        .storageDamaged, "\(storageName) has no purchase \(purchase), which a refund names. Run verify.")
    }
    return row.customer
  }

  static func keep(_ rows: [EvidenceRow]) -> PostgresRequest {
    EvidenceRow.insert(BulkInsert.last(rows) { RowKey(of: $0) }, conflict: EvidenceRow.changing())
  }
}
#endif
