#if PostgreSQL
/// A step of the schema.
///
/// A released step never changes: a new need is a new step.
package struct PostgresMigration: Sendable {
  package let name: String
  package let sql: [String]

  package init(name: String, sql: [String]) {
    self.name = name
    self.sql = sql
  }

  /// All steps, in their order; the table `migrations` names those that were applied to a schema.
  ///
  /// A step after which programs of the version before must not write ends with
  /// `UPDATE lanes SET layout = layout + 1`, which ends their groups.
  package static let all = [
    PostgresMigration(
      name: "0001-create-ledger",
      sql: [foundations, journal, projections, identities, triggers].flatMap { $0 })
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
#endif
