internal import GemLedger

extension Migration {
  /// The journal: rows are appended, never changed.
  static var journal: [String] {
    [
      table(TransactionRow.self),
      table(EntryRow.self),
      table(AllocationRow.self),
      // A UUID key is stored as its sixteen bytes.
      table(KeyRow.self, key: ["key", "customer"], instead: ["key": "key ANY NOT NULL"]),
      // Free text is outside the journal and can be erased.
      table(NoteRow.self),
      """
      CREATE TABLE frozen_products (
        frozen_product INTEGER PRIMARY KEY,
        document TEXT NOT NULL UNIQUE
      ) STRICT
      """,
      table(
        PurchaseRow.self, without: Set(PurchaseRow.joinedColumns.keys),
        instead: ["document": "frozen_product INTEGER NOT NULL"],
        more: ["UNIQUE (store_transaction, environment, store)"]),
      "CREATE INDEX purchases_of_customers ON purchases (customer)",
      // A merge moves items from one customer to another in one transaction.
      table(ItemEntryRow.self),
      table(MergeRow.self),
      table(LotAttributesRow.self),
      // With the only part; NULL if refund_parts has several. Most refunds take the currency of one lot, and each
      // further table would cost them a page of the file.
      table(RefundWithPart.self),
      "CREATE INDEX refunds_of_purchases ON refunds (purchase)",
      table(RefundPartRow.self),
      table(JournalEventRow.self, more: ["CHECK ((counter_kind IS NULL) = (subject IS NULL))"]),
      // An event about its own transaction is found by that transaction, not by an index: each index costs a hold one
      // page of the file.
      """
      CREATE INDEX journal_events_of_targets ON journal_events (target, transaction_number, position)
        WHERE target <> 0 AND target <> transaction_number
      """,
    ] + appendOnlyTables.flatMap(appendOnly) + [
      """
      CREATE TRIGGER keys_refuse_update BEFORE UPDATE ON keys
        BEGIN SELECT RAISE(ABORT, 'keys is append-only'); END
      """,
      """
      CREATE TRIGGER keys_refuse_delete BEFORE DELETE ON keys
        WHEN NOT EXISTS (SELECT 1 FROM erasures WHERE customer = OLD.customer)
        BEGIN SELECT RAISE(ABORT, 'keys is append-only'); END
      """,
    ]
  }

  private static let appendOnlyTables = [
    "transactions", "entries", "allocations", "frozen_products", "purchases", "item_entries", "merges",
    "lot_attributes", "refunds", "refund_parts", "journal_events",
  ]

  /// Plain transactions: one row for a transaction and its only entry.
  ///
  /// Earlier rows stay where they are. A program that does not know the new tables and has the file open no longer
  /// finds the old names, and so learns that the file is newer.
  static var plainTransactions: [String] {
    [
      "ALTER TABLE transactions RENAME TO transaction_rows",
      "ALTER TABLE entries RENAME TO entry_rows",
      table(PlainTransactionRow.self),
      // Both numbers ascend together.
      table(EntryRun.self, more: ["UNIQUE (first_entry)"]),
      """
      CREATE VIEW all_transactions AS
        SELECT * FROM transaction_rows
        UNION ALL
        SELECT number, kind, account >> 10, created_at, \(entryOfPlain), digest, erasable_digest
        FROM plain_transactions p
      """,
      """
      CREATE VIEW all_entries AS
        SELECT * FROM entry_rows
        UNION ALL
        SELECT \(entryOfPlain), number, account, kind, amount, balance, 0, version, previous, lot
        FROM plain_transactions p
      """,
    ] + ["plain_transactions", "entry_runs"].flatMap(appendOnly)
  }

  private static let entryOfPlain = """
    (SELECT p.number - r.transaction_number + r.first_entry FROM entry_runs r
          WHERE r.transaction_number BETWEEN 1 AND p.number
            AND NOT EXISTS (SELECT 1 FROM transaction_rows t WHERE t.number = r.transaction_number)
          ORDER BY r.transaction_number DESC LIMIT 1)
    """
}
