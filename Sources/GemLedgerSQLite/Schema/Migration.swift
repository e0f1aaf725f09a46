package import GemLedger

/// A schema step.
///
/// A released step never changes: a new requirement is a new step.
package struct Migration: Sendable {
  package let name: String
  /// Built for each use: nearly every file has all steps when it is opened.
  package var sql: String { text() }

  private let text: @Sendable () -> String

  package init(name: String, sql: @autoclosure @escaping @Sendable () -> String) {
    self.name = name
    text = sql
  }

  /// All steps, in order; a file's ``FileVersion`` has the number of applied steps.
  package static let all = [
    Migration(name: "0001-create-ledger", sql: (foundations + journal + projections).joined(separator: ";\n")),
    Migration(name: "0002-keep-evidence", sql: evidence.joined(separator: ";\n")),
    Migration(name: "0003-buffer-accounts", sql: accountsBuffer.joined(separator: ";\n")),
    Migration(
      name: "0004-find-refusals",
      sql: """
        CREATE INDEX keys_not_booked ON keys (key, customer)
          WHERE transaction_number IS NULL OR transaction_number <= 0
        """),
    Migration(name: "0005-join-plain-rows", sql: plainTransactions.joined(separator: ";\n")),
  ]

  static func appendOnly(_ table: String) -> [String] {
    ["UPDATE", "DELETE"].map { change in
      """
      CREATE TRIGGER \(table)_refuse_\(change.lowercased()) BEFORE \(change) ON \(table)
        BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END
      """
    }
  }
}

extension Migration: SchemaDialect {
  package static var splitsAccounts: Bool { false }

  package static func type(of column: String, _ bound: ColumnBound?) -> String { bound == nil ? "TEXT" : "INTEGER" }

  package static func key(of table: String, _ described: [String]) -> [String] { described }

  /// Returns the table's options; a numeric key is the row id, so the table needs no index for it.
  package static func options(hasNumberAsKey: Bool) -> String { hasNumberAsKey ? "STRICT" : "STRICT, WITHOUT ROWID" }
}

extension SQLiteConnection {
  /// Applies the missing schema steps, each in a separate transaction.
  ///
  /// - Parameters:
  ///   - steps: All steps, including those that the file has.
  ///   - project: The row of a new ledger; nil if the file has a ledger already.
  ///   - instant: The instant recorded with the steps.
  /// - Returns: Whether this call created the ledger; false if another process was faster.
  @discardableResult
  func migrate(
    _ steps: [Migration], project: ProjectRow?, at instant: Timestamp
  ) throws(SQLiteFailure) -> Bool {
    var isMade = false
    for (index, migration) in steps.enumerated() {
      try execute("BEGIN IMMEDIATE")
      // Another process may have been faster.
      var version = try version()
      guard version.schema == index else {
        try execute("ROLLBACK")
        continue
      }
      try execute(migration.sql)
      try execute(
        "INSERT INTO migrations VALUES ('\(migration.name)', \(instant.milliseconds))")
      if index == 0, let project {
        try execute(
          "INSERT INTO project VALUES (1, \(Int64(bitPattern: project.salt)), \(project.createdAt.milliseconds))")
      }
      version.schema = Int32(index + 1)
      try execute("PRAGMA user_version = \(version.userVersion); COMMIT")
      if index == 0 { isMade = true }
    }
    return isMade
  }
}
