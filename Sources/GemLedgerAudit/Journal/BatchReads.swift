package import GemLedger

// Reads of many rows at once, for whole pages of the journal.

extension StorageSnapshot {
  package func checkpoints(
    _ wanted: [CheckpointAddress]
  ) throws(LedgerError) -> [CheckpointAddress: CheckpointRow] {
    try rows(CheckpointRow.byVersion, wanted.map { IndexKey($0.account.rawValue, $0.version) }) {
      CheckpointAddress($0.account, version: $0.version)
    }
  }

  package func transactions(_ wanted: [RowAddress]) throws(LedgerError) -> [TransactionNumber: TransactionRow] {
    try rows(TransactionRow.byNumber, wanted.keys, by: \.number)
  }

  /// Returns the transactions in their customers' lists of transactions without entries.
  package func transactionsWithoutEntries(_ wanted: [RowAddress]) throws(LedgerError) -> Set<TransactionNumber> {
    let keys = wanted.compactMap { address in address.customer.map { IndexKey($0, address.number) } }
    guard !keys.isEmpty else { return [] }
    let rows: [TransactionRow] = try rows(TransactionRow.listedWithoutEntries, keys)
    return Set(rows.map(\.number))
  }

  package func entries(_ wanted: [RowAddress]) throws(LedgerError) -> [EntryNumber: EntryRow] {
    try rows(EntryRow.byNumber, wanted.keys, by: \.number)
  }

  /// Reads the entries of each transaction in the order of their numbers; omits transactions without entries.
  package func entries(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [EntryRow]] {
    try rows(EntryRow.ofTransaction, transactions.keys, groupedBy: \.transaction)
  }

  /// Reads the allocations of each entry in the order of their positions; omits entries without allocations.
  package func allocations(of entries: [RowAddress]) throws(LedgerError) -> [EntryNumber: [AllocationRow]] {
    try rows(AllocationRow.ofEntry, entries.keys, groupedBy: \.entry)
  }

  /// Reads the events of each transaction in the order of their positions; omits transactions without events.
  package func events(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [JournalEventRow]] {
    try rows(JournalEventRow.ofTransaction, transactions.keys, groupedBy: \.transaction)
  }

  /// - Parameter targets: The targets, each with the customers that its events may be stored with.
  package func events(
    about targets: [TransactionNumber: [CustomerNumber]]
  ) throws(LedgerError) -> [TransactionNumber: [JournalEventRow]] {
    let keys = targets.flatMap { [IndexKey]($0.key, ofAny: $0.value) }
    let rows: [TransactionNumber: [JournalEventRow]] = try rows(JournalEventRow.about, keys, groupedBy: \.target)
    return rows.mapValues { $0.sorted(by: JournalEventRow.precedes) }
  }

  /// Reads the refunds of each purchase, oldest first; omits purchases without refunds.
  package func refunds(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: [RefundRow]] {
    try rows(RefundRow.ofPurchase, purchases.keys, groupedBy: \.purchase)
  }

  /// Reads the evidence of purchases for which no refund was booked.
  package func evidence(
    of purchases: [PurchaseIdentity]
  ) throws(LedgerError) -> [PurchaseIdentity: [EvidenceRow]] {
    try rows(EvidenceRow.ofPurchase, purchases.map { IndexKey($0) }, groupedBy: \.identity)
  }

  /// Reads the parts of each refund in the order of their positions; omits refunds without parts.
  package func refundParts(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [RefundPartRow]] {
    try rows(RefundPartRow.ofTransaction, transactions.keys, groupedBy: \.transaction)
  }
}
