/// A transaction with all its rows, and its note.
package struct NotedTransaction: Sendable {
  package var parts: TransactionParts
  package var note: NoteRow?

  package init(parts: TransactionParts, note: NoteRow?) {
    self.parts = parts
    self.note = note
  }
}

// MARK: The journal, row by row

extension StorageSnapshot {
  package func entry(of account: AccountRow, version: Int64) throws(LedgerError) -> EntryRow? {
    try AccountHistory(snapshot: self, account: account).entry(version: version)
  }

  package func newestTransactions(
    ofAny owners: [CustomerNumber], below start: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [TransactionNumber] {
    var found: Set<TransactionNumber> = []
    for owner in owners {
      found.formUnion(try AccountHistory.transactions(of: owner, below: start, limit: limit, in: self))
    }
    return Array(found.sorted(by: >).prefix(limit))
  }

  package func notedTransactions(
    _ wanted: [TransactionNumber], ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [TransactionNumber: NotedTransaction] {
    var found: [TransactionNumber: NotedTransaction] = [:]
    for number in wanted {
      guard let parts = try TransactionParts.find(number, ofAny: owners, in: self) else { continue }
      let note = try row(NoteRow.ofTransaction, IndexKey(number, of: parts.row.customer))
      found[number] = NotedTransaction(parts: parts, note: note)
    }
    return found
  }

  /// The storage has one writer, which commits transactions in the order of their numbers.
  package func feedTransactions(after position: FeedPosition, limit: Int) throws(LedgerError) -> [TransactionRow] {
    let scan = try scan()
    var found: [TransactionRow] = []
    var last = position.floor
    while found.count < limit {
      let rows = try scan.transactions(after: last, limit: limit - found.count)
      guard let end = rows.last?.number else { break }
      guard end > last else { throw .leadsBack("transactions") }
      // A cursor from a storage with lanes may cover transactions above its floor.
      found += rows.filter { !position.covers($0.number) }
      last = end
    }
    return found
  }
}

// MARK: Order

extension LedgerError {
  /// The error for a page that does not advance: continuing would loop forever.
  package static func leadsBack(_ rows: String) -> Self {
    Self(
      .storageDamaged,
      "The \(rows) in the storage are not in their order: a page of them leads back to an earlier one. Run verify.",
      details: [.text("rows", rows), .outOfOrder])
  }

  /// Whether rows were not in the order of their positions.
  package var isOfOrder: Bool { details.contains(.outOfOrder) }
}

extension LedgerError.Detail {
  /// Marks damage that makes every result from these rows meaningless.
  package static let outOfOrder = Self.text("damage", "order")
}
