#if PostgreSQL
/// The column `lane`, by which a distributed engine spreads the tables of customers.
///
/// Tables get it when they are spread, so that the steps of the schema are those of every ledger.
struct LaneColumn {
  private let connection: PostgresConnection
  private let schema: String

  init(_ connection: PostgresConnection, schema: String) {
    self.connection = connection
    self.schema = schema
  }

  /// Adds the column to a table and fills it; it becomes the first one of each index that begins with the customer.
  ///
  /// Rows are written anew once, and no trigger sees a change.
  func add(to table: String, of keys: [Int32]) throws(PostgresFailure) {
    let lanes = keys.map(String.init).joined(separator: ", ")
    try connection.execute([
      "ALTER TABLE \(name(table)) ADD COLUMN lane integer",
      """
      ALTER TABLE \(name(table)) ALTER COLUMN lane TYPE integer
        USING (ARRAY[\(lanes)])[1 + \(LaneHash.sql(keys.count))], ALTER COLUMN lane SET NOT NULL
      """,
    ])
    try putFirst(in: table)
  }

  /// Lets the lanes' own table, which is empty and has such a column, be spread by it.
  func widen(_ table: String) throws(PostgresFailure) {
    try connection.execute(["ALTER TABLE \(name(table)) ALTER COLUMN lane TYPE integer"])
    try putFirst(in: table)
  }

  private func putFirst(in table: String) throws(PostgresFailure) {
    let indexes = try connection.ask(
      PostgresRequest(
        """
        SELECT c.relname::text, pg_get_indexdef(c.oid), k.conname::text, pg_get_constraintdef(k.oid)
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid LEFT JOIN pg_constraint k ON k.conindid = c.oid
        WHERE i.indrelid = $1::regclass AND pg_get_indexdef(c.oid) LIKE '% (customer%' ORDER BY 1
        """
      ) { $0.add(name(table)) })
    for row in 0..<indexes.count {
      if let constraint = indexes.optionalText(row, 2) {
        try connection.execute([
          """
          ALTER TABLE \(name(table)) DROP CONSTRAINT \(constraint),
            ADD CONSTRAINT \(constraint) \(Self.withLane(indexes.text(row, 3)))
          """
        ])
      } else {
        try connection.execute([
          "DROP INDEX \(name(indexes.text(row, 0)))", Self.withLane(indexes.text(row, 1)),
        ])
      }
    }
  }

  private static func withLane(_ definition: String) -> String {
    definition.replacing("(customer", with: "(lane, customer", maxReplacements: 1)
  }

  private func name(_ table: String) -> String { "\(schema).\(table)" }
}
#endif
