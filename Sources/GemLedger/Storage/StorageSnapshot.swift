/// A consistent view of all rows.
///
/// Nearly all reads are ``rows(_:_:)`` and ``page(_:_:after:limit:)``. The named reads that the rules use are built on
/// these two. Three reads that nearly every command makes are separate requirements, with defaults by index.
package protocol StorageSnapshot: AnyObject {
  // MARK: Rows

  /// Returns the rows with any of the keys, each once; rows of one key are adjacent, in the order of the index.
  ///
  /// - Parameter keys: At least one.
  func rows<Row>(_ index: RowIndex<Row>, _ keys: [IndexKey]) throws(LedgerError) -> [Row]
  /// Returns the rows with the key after a place, in the order of the index.
  ///
  /// - Parameters:
  ///   - place: The values of the index's order columns; no row needs to have them. Nil for the beginning.
  ///   - limit: How many rows at most.
  func page<Row>(
    _ index: RowIndex<Row>, _ key: IndexKey, after place: IndexPlace?, limit: Int
  ) throws(LedgerError) -> [Row]
  /// Returns a scan of all tables in storage order: for `verify`, exports and copies.
  func scan() throws(LedgerError) -> any StorageScan

  /// Finds the customer that an id names.
  ///
  /// - Parameter hash: The id's ``ByteHash``.
  func customer(_ id: CustomerID, hash: Int) throws(LedgerError) -> FoundCustomer?
  func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow?
  /// - Parameter hash: The key's ``ByteHash``.
  func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow?

  // MARK: The project

  func project() throws(LedgerError) -> ProjectRow
  /// The catalog's version number; it increases with every change of the catalog.
  func catalogVersion() throws(LedgerError) -> Int64

  // MARK: Numbers and sums

  /// The highest numbers of the journal, and its latest instant.
  func sequences() throws(LedgerError) -> Sequences
  /// The instant of the newest transaction of all lanes, including lanes that the session has not locked.
  func newestInstant() throws(LedgerError) -> Timestamp
  /// The highest number in use.
  func last(_ sequence: ColdSequence) throws(LedgerError) -> Int64
  /// Returns the number that is drawn after the given number.
  func number(after last: Int64, in sequence: ColdSequence) throws(LedgerError) -> Int64
  /// The sums of all rows' digests after the last commit; nil if they are missing.
  func recordSums() throws(LedgerError) -> RecordSums?
  /// The numbers of the journal's rows; nil if its numbers have no gaps and so equal the counts.
  func journalCounts() throws(LedgerError) -> JournalCounts?

  /// Whether a transaction is never committed after one with a higher number.
  var commitsInOrder: Bool { get }

  // MARK: The journal, in one question

  // The defaults read row by row. A remote storage answers each in a few round trips, for any number of rows. The
  // owners are the customer numbers at the time of writing, without merges.

  /// The first transactions that the position does not cover, in the order of their numbers.
  func feedTransactions(after position: FeedPosition, limit: Int) throws(LedgerError) -> [TransactionRow]
  /// The newest transactions below a number that touched any of these customers, newest first.
  func newestTransactions(
    ofAny owners: [CustomerNumber], below start: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [TransactionNumber]
  /// The given transactions that belong to any of these customers, by number.
  func notedTransactions(
    _ wanted: [TransactionNumber], ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [TransactionNumber: NotedTransaction]
  /// The entry that made this version of the account; nil for version 0.
  func entry(of account: AccountRow, version: Int64) throws(LedgerError) -> EntryRow?
}

extension StorageSnapshot {
  package func customer(_ id: CustomerID, hash: Int) throws(LedgerError) -> FoundCustomer? {
    try customers(named: [id])[id]
  }
  package func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow? {
    try accounts(of: number.customer).first { $0.number == number }
  }
  package func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow? {
    try row(KeyRow.byKey, IndexKey(customer, text: key.text))
  }

  package func project() throws(LedgerError) -> ProjectRow {
    guard let project = try scan().page(after: nil as ProjectRow?, limit: 1).first else {
      throw LedgerError(.storageDamaged, "The storage has no project row. Restore it from a backup.")
    }
    return project
  }
  package func catalogVersion() throws(LedgerError) -> Int64 { try scan().catalogVersions().last?.version ?? 0 }

  package var commitsInOrder: Bool { true }
  package func newestInstant() throws(LedgerError) -> Timestamp { try sequences().createdAt }
  package func number(after last: Int64, in sequence: ColdSequence) throws(LedgerError) -> Int64 { last + 1 }
  package func journalCounts() throws(LedgerError) -> JournalCounts? { nil }
}
