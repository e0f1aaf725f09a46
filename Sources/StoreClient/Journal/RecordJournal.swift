public import GemLedger

/// Records that outlive the process: each a text, kept in the order of appending.
///
/// ``RecordLog`` keeps them in a file, ``MemoryRecordLog`` as long as the process lives. An app that wants another
/// place for them, such as a keychain, writes its own.
public protocol RecordJournal: Sendable {
  /// All records that can be read, oldest first.
  func records() throws(LedgerError) -> [String]
  /// Appends the records, all or none; they are durable when this returns.
  func append(_ records: [String]) throws(LedgerError)
  /// Puts these records in the place of all others, all or none.
  func compact(to records: [String]) throws(LedgerError)
}
