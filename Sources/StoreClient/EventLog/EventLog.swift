public import GemLedger

/// Records that outlive the process: each a text, kept in the order of appending.
///
/// ``FileEventLog`` keeps them in a file, ``KeychainEventLog`` in a keychain, ``MemoryEventLog`` as long as the process
/// lives. An app that wants to store them elsewhere writes its own.
public protocol EventLog: Sendable {
  /// All records that can be read, oldest first.
  func records() throws(LedgerError) -> [String]
  /// Appends the records, all or none; they are durable when this returns.
  func append(_ records: [String]) throws(LedgerError)
  /// Replaces all records by these, all or none.
  func compact(to records: [String]) throws(LedgerError)
}
