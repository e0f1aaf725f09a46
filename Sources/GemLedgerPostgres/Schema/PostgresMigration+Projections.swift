#if PostgreSQL
internal import GemLedger

extension PostgresMigration {
  /// Mutable rows: projections can be rebuilt from the journal, and `verify` compares them.
  ///
  /// Instants are milliseconds; 9223372036854775807 means never.
  static var projections: [String] {
    [
      table(AccountRow.self, options: "WITH (fillfactor = 75)"),
      table(LotRow.self),
      "CREATE INDEX lots_open ON lots (customer, currency, (source = 1), expires_at, lot) WHERE remaining > 0",
      """
      CREATE INDEX lots_pooled ON lots (customer, currency, source, environment)
        WHERE purchase IS NULL AND expires_at = 9223372036854775807
      """,
      table(OwnedItemRow.self),
      // One row for every 64 entries of an account, from which reads walk back through the history.
      table(CheckpointRow.self),
      // Most holds have one lot and end with one command, which then reads neither their transactions nor their events.
      table(HoldRow.self, more: ["CHECK ((currency IS NULL) = (lot IS NULL) AND (lot IS NULL) = (amount IS NULL))"]),
      // Each counter after its newest event.
      table(CountRow.self, options: "WITH (fillfactor = 75)"),
      table(OrderRow.self),
      "CREATE UNIQUE INDEX orders_of_key ON orders (customer, key) WHERE key IS NOT NULL",
      "CREATE INDEX orders_of_purchase ON orders (purchase) WHERE purchase IS NOT NULL",
      "CREATE INDEX orders_due ON orders (state, due_at, number) WHERE state <> 2",
      // The purchases that gave the entitlements of a customer.
      table(EntitlementRow.self, without: ["holder"]),
    ]
  }
}
#endif
