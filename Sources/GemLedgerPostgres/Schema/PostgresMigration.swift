#if PostgreSQL
package import GemLedger

/// A step of the schema.
///
/// A released step never changes: a new need is a new step.
package struct PostgresMigration: Sendable {
  package let name: String
  /// Made for each use: nearly every schema has all steps when it is opened.
  package var sql: [String] { text() }

  private let text: @Sendable () -> [String]

  package init(name: String, sql: @autoclosure @escaping @Sendable () -> [String]) {
    self.name = name
    text = sql
  }

  /// All steps, in their order; the table `migrations` names those that were applied to a schema.
  ///
  /// A step after which programs of the version before must not write ends with
  /// `UPDATE lanes SET layout = layout + 1`, which ends their groups.
  package static let all = [
    PostgresMigration(
      name: "0001-create-ledger",
      sql: foundations + journal + projections + identities + triggers),
    PostgresMigration(name: "0002-keep-evidence", sql: evidence),
  ]

  // MARK: Triggers

  /// The append-only tables of the first step; see ``SchemaTable`` for those of the schema as it is.
  private static let appendOnlyTables = [
    "transactions", "entries", "allocations", "frozen_products", "purchases", "item_entries", "lot_attributes",
    "merges", "refunds", "refund_parts", "journal_events", "catalog_versions",
  ]

  // The function is the schema's own, so that a trigger on a shard finds it too.
  private static let refusingFunction = """
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$
    """

  private static var triggers: [String] {
    var statements = [refusingFunction]
    for table in appendOnlyTables {
      statements += [refusing("UPDATE OR DELETE", on: table), refusingTruncation(of: table)]
    }
    // Keys never change, and an erasure removes them.
    return statements + [refusing("UPDATE", on: "keys"), refusingTruncation(of: "keys")]
  }

  private static func refusing(_ changes: String, on table: String) -> String {
    """
    CREATE TRIGGER \(table)_refuse_change BEFORE \(changes) ON \(table)
      FOR EACH ROW EXECUTE FUNCTION refuse_change()
    """
  }

  private static func refusingTruncation(of table: String) -> String {
    """
    CREATE TRIGGER \(table)_refuse_truncation BEFORE TRUNCATE ON \(table)
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
    """
  }
}

extension PostgresMigration: SchemaDialect {
  /// Texts by which nothing is found or sorted.
  private static let freeTexts: Set = [
    "document", "content", "request", "refusal", "price_currency", "frozen_reason", "reference", "reason", "actor",
  ]

  package static var splitsAccounts: Bool { true }

  package static func type(of column: String, _ bound: ColumnBound?) -> String {
    switch bound {
    case .kind, .currency: "smallint"
    case .some: "bigint"
    // Others are compared by their bytes, as everywhere in a ledger.
    case nil: freeTexts.contains(column) ? "text" : #"text COLLATE "C""#
    }
  }

  /// Rows lie with their customers.
  package static func key(of table: String, _ described: [String]) -> [String] {
    let isOfCustomers = SchemaTable.all.contains { $0.name == table && $0.distribution == .byCustomer }
    return isOfCustomers ? ["customer"] + described.filter { $0 != "customer" } : described
  }

  package static func options(hasNumberAsKey: Bool) -> String { "" }
}
#endif
