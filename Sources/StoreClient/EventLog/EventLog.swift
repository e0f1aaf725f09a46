public import GemLedger

/// Records that outlive the process: texts in the order of appending.
///
/// ``FileEventLog`` keeps them in a file, ``KeychainEventLog`` in a keychain, ``MemoryEventLog`` only during the
/// process. An app can implement this protocol for other storage.
public protocol EventLog: Sendable {
  /// Returns all readable records, oldest first.
  func records() throws(LedgerError) -> [String]
  /// Appends the records, all or none; they are durable when this returns.
  func append(_ records: [String]) throws(LedgerError)
  /// Replaces all records by these, all or none.
  func compact(to records: [String]) throws(LedgerError)
}
