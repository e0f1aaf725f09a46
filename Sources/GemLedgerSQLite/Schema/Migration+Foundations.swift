internal import GemLedger

extension Migration {
  /// Tables of the whole ledger and of its customers.
  static var foundations: [String] {
    [
      """
      CREATE TABLE migrations (
        name TEXT PRIMARY KEY,
        applied_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID
      """,
      table(ProjectRow.self, only: "project"),
      table(CatalogRow.self),
      table(CatalogVersionRow.self),
      table(EnvironmentRow.self),
      // Rows of up to one mebibyte are in creation order, so that the index of names stays small.
      table(DocumentRow.self, options: "STRICT"),
      table(
        CustomerRow.self,
        instead: [
          "id": "id TEXT", "frozen": "frozen INTEGER NOT NULL DEFAULT 0",
          "merged_into": "merged_into INTEGER NOT NULL DEFAULT 0",
          "merged_count": "merged_count INTEGER NOT NULL DEFAULT 0",
        ]),
      "CREATE INDEX customers_merged ON customers (merged_into) WHERE merged_into <> 0",
      table(AddedIDRow.self, named: "aliases"),
      // Each id is also in the table aliases.
      table(AddedIDRow.self, named: "added_ids", key: ["customer", "id"]),
      table(AccountTokenRow.self),
      // The customers with erased ids, notes and keys; the triggers allow those deletions.
      """
      CREATE TABLE erasures (
        customer INTEGER NOT NULL,
        transaction_number INTEGER NOT NULL,
        PRIMARY KEY (customer, transaction_number)
      ) STRICT, WITHOUT ROWID
      """,
      // The file is not a ledger while the row exists.
      table(CopyProgress.self, only: "one"),
      table(CopiedJournal.self, only: "one"),
      // Sums of the digests of all rows; they wrap around.
      """
      CREATE TABLE record_sums (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        transactions INTEGER NOT NULL,
        customers INTEGER NOT NULL,
        added_ids INTEGER NOT NULL,
        account_tokens INTEGER NOT NULL,
        orders INTEGER NOT NULL,
        environments INTEGER NOT NULL,
        catalog_versions INTEGER NOT NULL,
        catalog INTEGER NOT NULL
      ) STRICT
      """,
      "INSERT INTO record_sums VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0)",
    ] + ["catalog_versions", "erasures", "copied_journal"].flatMap(appendOnly)
  }
}
