#if PostgreSQL
/// The column `lane`, by which a distributed engine spreads the tables of customers.
///
/// Tables get it when they are spread, so that the steps of the schema are those of every ledger.
struct LaneColumn {
  /// An index that begins with the customer.
  private struct Index {
    let name: String
    let definition: String
    /// The constraint that it belongs to, with its definition.
    let constraint: (name: String, definition: String)?
  }

  private let schema: String
  /// The indexes that begin with the customer, by their tables.
  private let indexes: [String: [Index]]

  init(_ connection: PostgresConnection, schema: String) throws(PostgresFailure) {
    self.schema = schema
    // The definitions of other schemas' indexes are not made: there may be many ledgers in the database.
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
        """
      ) { $0.add(schema) })
    var indexes: [String: [Index]] = [:]
    for row in 0..<rows.count {
      let constraint = rows.optionalText(row, 3).map { ($0, rows.text(row, 4)) }
      indexes[rows.text(row, 0), default: []].append(
        Index(name: rows.text(row, 1), definition: rows.text(row, 2), constraint: constraint))
    }
    self.indexes = indexes
  }

  /// Statements that add the column to a table and fill it; it becomes the first one of each index that begins with the
  /// customer.
  ///
  /// Rows are written anew once, and no trigger sees a change.
  func adding(to table: String, of keys: [Int32]) -> [String] {
    let lanes = keys.map(String.init).joined(separator: ", ")
    let filling = "USING (ARRAY[\(lanes)])[1 + \(LaneHash.sql(keys.count))], ALTER COLUMN lane SET NOT NULL"
    return ["ALTER TABLE \(schema).\(table) ADD COLUMN lane integer"] + changing(table, filling)
  }

  /// Statements that let the lanes' own table, which is empty and has such a column, be spread by it.
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
