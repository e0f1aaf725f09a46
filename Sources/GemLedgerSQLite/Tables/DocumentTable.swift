internal import GemLedger

/// Documents of services, by name.
struct DocumentTable {
  let statements: StatementRunner

  func write(_ changes: ColdChanges) throws(LedgerError) {
    try statements.replace(changes.documents)
    try statements.run("DELETE FROM documents WHERE name = ?1", changes.removedDocuments) { $0.bind(1, $1.name.text) }
  }
}
