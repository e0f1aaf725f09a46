#if PostgreSQL
  /// A step of the schema.
  ///
  /// Once shipped it is never edited: a new need is a new step.
  package struct PostgresMigration: Sendable {
    package let name: String
    package let sql: [String]

    package static let all = [
      PostgresMigration(
        name: "0001-create-ledger",
        sql: tables + firstJournalTables.map(appendOnly) + firstJournalTables.map(neverEmptied)),
      PostgresMigration(
        name: "0002-keep-effects",
        sql: effects + [appendOnly("effects"), neverEmptied("effects")] + erasableKeys + [rightsOnNewTables]),
      PostgresMigration(name: "0003-book-refunds-in-one-row", sql: refundsInOneRow),
      PostgresMigration(name: "0004-say-what-holds-have", sql: whatHoldsHave),
      PostgresMigration(name: "0005-digest-transactions", sql: digestedTransactions),
    ]

    /// The tables that are only ever appended to.
    package static let journalTables = firstJournalTables.filter { $0 != "keys" } + ["effects"]

    /// Those of the first step, which never changes.
    private static let firstJournalTables = [
      "transactions", "entries", "allocations", "keys", "purchase_terms", "purchases", "item_entries", "lot_terms",
      "merges", "refunds", "refund_parts", "catalog_versions",
    ]

    // The function is the schema's own, so that a trigger on a shard finds it too.
    private static func appendOnly(_ table: String) -> String {
      """
      CREATE TRIGGER \(table)_keep_rows BEFORE UPDATE OR DELETE ON \(table)
        FOR EACH ROW EXECUTE FUNCTION refuse_change()
      """
    }

    private static func neverEmptied(_ table: String) -> String {
      """
      CREATE TRIGGER \(table)_keep_all BEFORE TRUNCATE ON \(table)
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
      """
    }
  }
#endif
