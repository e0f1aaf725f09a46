#if PostgreSQL
internal import GemLedger

extension PostgresMigration {
  /// Tables of values that are unique across customers, each keyed by its value.
  ///
  /// A writer that claims a value locks its row. No other values are unique across customers, so all other rows can be
  /// on the nodes of their customers.
  static var identities: [String] {
    [
      table(AddedIDRow.self, named: "aliases"),
      // customer, purchase: 0 while the store transaction is not credited.
      """
      CREATE TABLE store_transactions (
        store_transaction text COLLATE "C" NOT NULL,
        environment bigint NOT NULL,
        store smallint NOT NULL,
        customer bigint NOT NULL,
        purchase bigint NOT NULL,
        PRIMARY KEY (store_transaction, environment, store)
      )
      """,
      // The newest store notice of each refund that caused no booking, also for unknown purchases.
      """
      CREATE TABLE refund_evidence (
        store_transaction text COLLATE "C" NOT NULL,
        environment bigint NOT NULL,
        store smallint NOT NULL,
        kind smallint NOT NULL,
        revoked_at bigint NOT NULL,
        signed_at bigint NOT NULL,
        extent_kind smallint NOT NULL,
        extent bigint NOT NULL,
        PRIMARY KEY (store_transaction, environment, store, kind, revoked_at)
      )
      """,
      """
      CREATE TABLE purchase_codes (
        code text COLLATE "C" PRIMARY KEY,
        customer bigint NOT NULL,
        number bigint NOT NULL
      )
      """,
      table(AccountTokenRow.self),
      table(EntitlementRow.self, named: "entitlement_holders"),
      table(DocumentRow.self),
    ]
  }
}
#endif
