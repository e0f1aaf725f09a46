internal import GemLedger

/// All rows about the refunds of a page of purchases, read together.
struct RefundPage {
  private let purchases: [Int64: PurchaseRow]
  private let refunds: [Int64: [RefundRow]]
  private let evidence: [PurchaseIdentity: [EvidenceRow]]
  private let transactions: [TransactionNumber: TransactionRow]
  private let entries: [TransactionNumber: [EntryRow]]
  private let allocations: [EntryNumber: [AllocationRow]]
  private let attributes: [LotNumber: LotAttributesRow]
  private let parts: [TransactionNumber: [RefundPartRow]]

  init(
    _ states: [RefundStateRow], snapshot: any StorageSnapshot, _ merges: MergedCustomers
  ) throws(LedgerError) {
    purchases = try snapshot.purchases(states.map { RowAddress($0.purchase, of: nil) })
    var addresses: [RowAddress] = []
    for state in states { addresses.append(RowAddress(state.purchase, of: purchases[state.purchase]?.customer)) }
    refunds = try snapshot.refunds(of: addresses)
    evidence = try snapshot.evidence(of: purchases.values.map(\.identity))
    let credits = purchases.values.map { RowAddress($0.transaction, of: $0.customer) }
    var changes: [RowAddress] = []
    for (purchase, rows) in refunds {
      // A refund belongs to the purchase's owner at its time, who differs from the buyer only after a merge.
      let buyer = purchases[purchase]?.customer
      let owner = buyer.flatMap { merges.wasMerged($0) ? nil : $0 }
      changes += rows.map { RowAddress($0.transaction, of: owner) }
    }
    transactions = try snapshot.transactions(credits + changes)
    entries = try snapshot.entries(of: credits + changes)
    let all = entries.values.joined()
    allocations = try snapshot.allocations(
      of: all.filter { $0.lot == 0 }.map { RowAddress($0.number, of: $0.account.customer) })
    parts = try snapshot.refundParts(of: changes)
    var lots: [RowAddress] = []
    for credit in credits {
      for entry in entries[credit.number] ?? [] {
        let own = entry.lot != 0 ? [entry.lot] : (allocations[entry.number] ?? []).map(\.lot)
        lots += own.map { RowAddress($0, of: entry.account.customer) }
      }
    }
    attributes = try snapshot.lotAttributes(lots)
  }

  func purchase(of state: RefundStateRow) -> PurchaseRow? { purchases[state.purchase] }
  func refunds(of state: RefundStateRow) -> [RefundRow] { refunds[state.purchase] ?? [] }
  func evidence(of purchase: PurchaseRow) -> [EvidenceRow] {
    let (kept, refunds) = (evidence[purchase.identity] ?? [], refunds[purchase.number] ?? [])
    return RefundRules.known(kept, and: refunds, about: purchase.identity)
  }
  func transaction(of refund: RefundRow) -> TransactionRow? { transactions[refund.transaction] }
  func entries(of refund: RefundRow) -> [EntryRow] { entries[refund.transaction] ?? [] }
  func parts(of refund: RefundRow) -> [RefundPartRow] { parts[refund.transaction] ?? [] }

  /// The entry's amounts by lot.
  func allocations(of entry: EntryRow) -> [(lot: LotNumber, amount: Int64)] {
    entry.lot != 0 ? [(entry.lot, entry.amount)] : (allocations[entry.number] ?? []).map { ($0.lot, $0.amount) }
  }

  /// The transaction that credited the purchase, without items.
  func credit(of purchase: PurchaseRow) -> TransactionParts? {
    guard let row = transactions[purchase.transaction] else { return nil }
    let own = entries[purchase.transaction] ?? []
    var sources: [LotNumber: LotSource] = [:]
    for entry in own {
      for (lot, _) in allocations(of: entry) { sources[lot] = attributes[lot]?.source }
    }
    return TransactionParts(
      row: row, entries: own, allocations: own.flatMap { allocations[$0.number] ?? [] }, items: [], sources: sources)
  }
}
