/// A transaction with all its rows, and its note.
package struct NotedTransaction: Sendable {
  package var parts: TransactionParts
  package var note: NoteRow?

  package init(parts: TransactionParts, note: NoteRow?) {
    self.parts = parts
    self.note = note
  }
}

/// Reads that histories and answers given again are made of.
///
/// The defaults go from row to row; a storage across a network answers each in a few round trips, however much is asked
/// for. The owners are customers' own numbers, as they were when the rows were written.
package protocol HistoryReads: AnyObject {
  /// The newest transactions below a number that touched any of these customers, newest first.
  func newestTransactions(
    ofAny owners: [CustomerNumber], below start: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [TransactionNumber]
  /// Those of the transactions that are of any of these customers, by number.
  func notedTransactions(
    _ wanted: [TransactionNumber], ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [TransactionNumber: NotedTransaction]
  /// A transaction of the journal, or nil where there is none of that number.
  ///
  /// - Parameter owner: The customer's own number that the transaction is of.
  func parts(of number: TransactionNumber, of owner: CustomerNumber) throws(LedgerError) -> TransactionParts?
  /// A transaction of one of several customers' own numbers, or nil where none of them has it.
  func parts(of number: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> TransactionParts?
  /// The same from the transaction's own row; without the sources of its lots, and without looking for them.
  func postings(of row: TransactionRow) throws(LedgerError) -> TransactionParts
  /// The entry that made this version of the account; nil for version 0.
  func entry(of account: AccountRow, version: Int64) throws(LedgerError) -> EntryRow?
}

extension StorageSnapshot {
  package func entry(of account: AccountRow, version: Int64) throws(LedgerError) -> EntryRow? {
    try AccountHistory(snapshot: self, account: account).entry(version: version)
  }

  package func newestTransactions(
    ofAny owners: [CustomerNumber], below start: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [TransactionNumber] {
    var found: Set<TransactionNumber> = []
    for owner in owners { found.formUnion(try newestTransactions(of: owner, below: start, limit: limit)) }
    return Array(found.sorted(by: >).prefix(limit))
  }

  /// The newest transactions of one number: a merge of the histories of all accounts, and of the transactions that
  /// touched no balance.
  private func newestTransactions(
    of customer: CustomerNumber, below start: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [TransactionNumber] {
    var found = try transactionsWithoutEntries(of: customer, below: start, limit: limit)
    for account in try accounts(of: customer) {
      let history = AccountHistory(snapshot: self, account: account)
      var entry = try history.newest(below: start)
      var count = 0
      while let current = entry, count < limit {
        found.append(current.transaction)
        count += 1
        entry = try history.previous(current)
      }
    }
    return found
  }

  package func notedTransactions(
    _ wanted: [TransactionNumber], ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [TransactionNumber: NotedTransaction] {
    var found: [TransactionNumber: NotedTransaction] = [:]
    for number in wanted {
      guard let parts = try parts(of: number, ofAny: owners) else { continue }
      found[number] = NotedTransaction(parts: parts, note: try note(number, of: parts.row.customer))
    }
    return found
  }
}
