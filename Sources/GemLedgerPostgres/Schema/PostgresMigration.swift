#if PostgreSQL
package import GemLedger

/// A schema step.
///
/// A released step never changes: a new requirement is a new step.
package struct PostgresMigration: Sendable {
  package let name: String
  /// Built for each use: nearly every schema has all steps when it is opened.
  package var sql: [String] { text() }

  private let text: @Sendable () -> [String]

  package init(name: String, sql: @autoclosure @escaping @Sendable () -> [String]) {
    self.name = name
    text = sql
  }

  /// All steps, in order; the table `migrations` names those that were applied to a schema.
  ///
  /// A step after which older programs must not write ends with `UPDATE lanes SET layout = layout + 1`, which stops
  /// their groups.
  package static let all = [
    PostgresMigration(
      name: "0001-create-ledger",
      sql: foundations + journal + projections + identities + triggers),
    PostgresMigration(name: "0002-keep-evidence", sql: evidence),
    PostgresMigration(name: "0003-release-lanes-early", sql: earlyRelease),
  ]

  /// Whether the last group of a lane released it before its commit was on disk.
  ///
  /// Each reader searches for such lanes. The index is empty if one process writes; a search of the table would visit
  /// old versions of its rows. Readers of an older program do not wait until such a commit is on disk.
  private static let earlyRelease = [
    "ALTER TABLE lanes ADD COLUMN early boolean NOT NULL DEFAULT false",
    "CREATE INDEX lanes_released_early ON lanes (customer) WHERE early", "UPDATE lanes SET layout = layout + 1",
  ]

  // MARK: Triggers

  /// The append-only tables of the first step; see ``SchemaTable`` for those of the current schema.
  private static let appendOnlyTables = [
    "transactions", "entries", "allocations", "frozen_products", "purchases", "item_entries", "lot_attributes",
    "merges", "refunds", "refund_parts", "journal_events", "catalog_versions",
  ]

  // The function is in the ledger's schema, so that a trigger on a shard finds it too.
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
  /// Text columns that are neither searched nor sorted.
  private static let freeTexts: Set = [
    "document", "content", "request", "refusal", "price_currency", "frozen_reason", "reference", "reason", "actor",
  ]

  package static var splitsAccounts: Bool { true }

  package static func type(of column: String, _ bound: ColumnBound?) -> String {
    switch bound {
    case .kind, .currency: "smallint"
    case .some: "bigint"
    // Other texts are compared by their bytes, as everywhere in a ledger.
    case nil: freeTexts.contains(column) ? "text" : #"text COLLATE "C""#
    }
  }

  /// Returns the key of a table, which begins with the customer: rows are stored with their customers.
  package static func key(of table: String, _ described: [String]) -> [String] {
    let isOfCustomers = SchemaTable.all.contains { $0.name == table && $0.distribution == .byCustomer }
    return isOfCustomers ? ["customer"] + described.filter { $0 != "customer" } : described
  }

  package static func options(hasNumberAsKey: Bool) -> String { "" }
}
#endif
