#if PostgreSQL
/// The column `lane`, by which a distributed engine distributes the tables of customers.
///
/// It is added when tables are distributed, so that the schema steps are the same for every ledger.
struct LaneColumn {
  /// An index that begins with the customer.
  private struct Index {
    let name: String
    let definition: String
    /// The index's constraint with its definition, if it has one.
    let constraint: (name: String, definition: String)?
  }

  private let schema: String
  /// The indexes that begin with the customer, by table.
  private let indexes: [String: [Index]]

  init(_ connection: PostgresConnection, schema: String) throws(PostgresFailure) {
    self.schema = schema
    // Definitions of other schemas' indexes are not built: the database may have many ledgers.
    let rows = try connection.ask(
      PostgresRequest(
        """
        SELECT name, index_name, definition, constraint_name, pg_get_constraintdef(constraint_id) FROM (
          SELECT t.relname::text AS name, c.relname::text AS index_name, pg_get_indexdef(c.oid) AS definition,
            k.conname::text AS constraint_name, k.oid AS constraint_id
          FROM pg_class t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class c ON c.oid = i.indexrelid
          LEFT JOIN pg_constraint k ON k.conindid = c.oid
          WHERE t.relnamespace = $1::regnamespace OFFSET 0
        ) AS own WHERE definition LIKE '% (customer%' ORDER BY 1, 2
        """, schema))
    var indexes: [String: [Index]] = [:]
    for row in 0..<rows.count {
      let constraint = rows.optionalText(row, 3).map { ($0, rows.text(row, 4)) }
      indexes[rows.text(row, 0), default: []].append(
        Index(name: rows.text(row, 1), definition: rows.text(row, 2), constraint: constraint))
    }
    self.indexes = indexes
  }

  /// Returns statements that add and fill the column.
  ///
  /// It becomes the first column of each index that begins with the customer.
  ///
  /// Rows are rewritten once, and no trigger sees a change.
  func adding(to table: String, of keys: [Int32]) -> [String] {
    let lanes = keys.map(String.init).joined(separator: ", ")
    let filling = "USING (ARRAY[\(lanes)])[1 + \(LaneHash.sql(keys.count))], ALTER COLUMN lane SET NOT NULL"
    return ["ALTER TABLE \(schema).\(table) ADD COLUMN lane integer"] + changing(table, filling)
  }

  /// Returns statements that prepare the empty lanes table, which has such a column, for distribution by it.
  func widening(_ table: String) -> [String] { changing(table, "") }

  private func changing(_ table: String, _ change: String) -> [String] {
    let indexes = indexes[table] ?? []
    let constraints = indexes.compactMap(\.constraint).map { name, definition in
      ", DROP CONSTRAINT \(name), ADD CONSTRAINT \(name) \(Self.withLane(definition))"
    }
    let others = indexes.filter { $0.constraint == nil }
    return others.map { "DROP INDEX \(schema).\($0.name)" }
      + ["ALTER TABLE \(schema).\(table) ALTER COLUMN lane TYPE integer \(change)\(constraints.joined())"]
      + others.map { Self.withLane($0.definition) }
  }

  private static func withLane(_ definition: String) -> String {
    definition.replacing("(customer", with: "(lane, customer", maxReplacements: 1)
  }
}
#endif
