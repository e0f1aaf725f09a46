package import GemLedger

/// A step of the schema.
///
/// A released step never changes: a new need is a new step.
package struct Migration: Sendable {
  package let name: String
  /// Made for each use: nearly every file has all steps when it is opened.
  package var sql: String { text() }

  private let text: @Sendable () -> String

  package init(name: String, sql: @autoclosure @escaping @Sendable () -> String) {
    self.name = name
    text = sql
  }

  /// All steps, in their order; a file's ``FileVersion`` says how many were applied to it.
  package static let all = [
    Migration(name: "0001-create-ledger", sql: (foundations + journal + projections).joined(separator: ";\n")),
    Migration(name: "0002-keep-evidence", sql: evidence.joined(separator: ";\n")),
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

  /// A number as the key is that of the row itself: the table needs no index for it.
  package static func options(hasNumberAsKey: Bool) -> String { hasNumberAsKey ? "STRICT" : "STRICT, WITHOUT ROWID" }
}

extension SQLiteConnection {
  /// Applies the missing steps of the schema, each in its own transaction.
  ///
  /// - Parameters:
  ///   - steps: All steps, those included that the file has.
  ///   - project: The row of a new ledger; nil where the file holds one already.
  ///   - instant: The instant that the steps are recorded with.
  /// - Returns: Whether this call made the ledger; false where another process was quicker.
  @discardableResult
  func migrate(
    _ steps: [Migration], project: ProjectRow?, at instant: Timestamp
  ) throws(SQLiteFailure) -> Bool {
    var isMade = false
    for (index, migration) in steps.enumerated() {
      try execute("BEGIN IMMEDIATE")
      // Another process may have been quicker.
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
