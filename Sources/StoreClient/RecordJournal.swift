package import GemLedger

/// Records that outlive the process: each a text, kept in the order of appending.
package protocol RecordJournal: Sendable {
  /// All records that can be read, oldest first.
  func records() throws(LedgerError) -> [String]
  /// Appends the records, all or none; they are durable when this returns.
  func append(_ records: [String]) throws(LedgerError)
  /// Puts these records in the place of all others, all or none.
  func compact(to records: [String]) throws(LedgerError)
}
