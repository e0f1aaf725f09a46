internal import GemLedger

/// The progress of a copy of a whole ledger, and the numbering of a copied journal.
final class CopyTable {
  private let statements: StatementRunner

  /// The numbering of a copied journal, once it is read: that of a complete copy never changes.
  private var knownCopiedJournal: CopiedJournal??
  /// Whether another connection may write that row.
  let isCopy: Bool

  init(_ statements: StatementRunner, isCopy: Bool) {
    self.statements = statements
    self.isCopy = isCopy
  }

  func copyProgress() throws(LedgerError) -> CopyProgress? { try statements.row("") { _ in } }

  func copiedJournal() throws(LedgerError) -> CopiedJournal? {
    if let knownCopiedJournal { return knownCopiedJournal }
    let copied: CopiedJournal? = try statements.row("") { _ in }
    if isCopy { return copied }
    knownCopiedJournal = .some(copied)
    return copied
  }

  // MARK: Writing

  func write(_ copy: CopyChanges) throws(LedgerError) {
    if let journal = copy.journal {
      // Only an import of later transactions, which adds gaps, changes this row. With this setting, replacing a row
      // runs no trigger.
      try setReplacingIsFree(true)
      defer { setReplacingIsHeldOff() }
      try statements.run("INSERT OR REPLACE INTO copied_journal VALUES (1, ?1, ?2, ?3, ?4, ?5)", [journal]) {
        $0.bind(1, $1.lastTransaction)
        $0.bind(2, $1.counts.transactions)
        $0.bind(3, $1.lastEntry)
        $0.bind(4, $1.counts.entries)
        $0.bind(5, $1.createdAt.milliseconds)
      }
      knownCopiedJournal = nil
    }
    guard let progress = copy.progress else {
      try statements.run("DELETE FROM copy_progress", [0]) { _, _ in }
      return
    }
    try statements.run("INSERT OR REPLACE INTO copy_progress VALUES (1, ?1, ?2, ?3)", [progress]) {
      $0.bind(1, $1.step)
      $0.bind(2, $1.pages)
      $0.bind(3, $1.source)
    }
  }

  private func setReplacingIsFree(_ isFree: Bool) throws(LedgerError) {
    try statements.translating { () throws(SQLiteFailure) in
      try statements.connection.execute("PRAGMA recursive_triggers = \(isFree ? "OFF" : "ON")")
    }
  }

  private func setReplacingIsHeldOff() {
    // The setting belongs to the connection and does not touch a file, so it cannot fail.
    try? setReplacingIsFree(false)
  }
}
