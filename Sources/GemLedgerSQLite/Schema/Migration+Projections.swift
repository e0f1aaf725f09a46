internal import GemLedger

extension Migration {
  /// Mutable rows: projections can be rebuilt from the journal, and `verify` compares them.
  static var projections: [String] {
    [
      accounts("accounts"),
      table(LotRow.self, more: ["paid INTEGER NOT NULL GENERATED ALWAYS AS (source = 1) VIRTUAL"]),
      "CREATE INDEX lots_open ON lots (account, paid, expires_at) WHERE remaining > 0",
      """
      CREATE INDEX lots_pooled ON lots (account, source, environment)
        WHERE purchase IS NULL AND expires_at = \(StoredExpiry.never)
      """,
      """
      CREATE TABLE lot_sequence (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        last INTEGER NOT NULL
      ) STRICT
      """,
      "INSERT INTO lot_sequence VALUES (1, 0)",
      table(OwnedItemRow.self),
      // One row for every 64 entries of an account, from which reads walk back through the history.
      table(CheckpointRow.self),
      // Most holds have one lot and end with one command, which then reads neither their transactions nor their events.
      table(HoldRow.self),
      table(CountRow.self),
      customerList("customer_lists"),
      // The newest rows of the lists; each row is in one of the two tables.
      customerList("customer_lists_buffer"),
      """
      CREATE TABLE refund_evidence (
        store_transaction TEXT NOT NULL,
        environment INTEGER NOT NULL,
        store INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        revoked_at INTEGER NOT NULL,
        signed_at INTEGER NOT NULL,
        extent_kind INTEGER NOT NULL,
        extent INTEGER NOT NULL,
        PRIMARY KEY (store_transaction, environment, store, kind, revoked_at)
      ) STRICT, WITHOUT ROWID
      """,
      table(OrderRow.self, instead: ["code": "code TEXT NOT NULL UNIQUE"]),
      "CREATE INDEX orders_of_customer ON orders (customer, number)",
      "CREATE INDEX orders_due ON orders (state, due_at, number) WHERE state <> 2",
      "CREATE UNIQUE INDEX orders_of_purchase ON orders (purchase) WHERE purchase IS NOT NULL",
      "CREATE UNIQUE INDEX orders_of_key ON orders (customer, key) WHERE key IS NOT NULL",
    ] + orderTriggers + [
      table(EntitlementRow.self),
      "CREATE INDEX entitlements_of_holder ON entitlements (holder, purchase)",
    ]
  }

  // NULL means never.
  private static func accounts(_ name: String) -> String {
    table(
      AccountRow.self, named: name,
      instead: ["next_expiry": "next_expiry INTEGER", "next_scheduled_at": "next_scheduled_at INTEGER"])
  }

  /// The newest rows of accounts; each replaces the account's row in the large table.
  ///
  /// The view has the name that the large table had: a program that does not know the buffer and has the file open
  /// reads right rows, and its writes fail.
  static var accountsBuffer: [String] {
    [
      "ALTER TABLE accounts RENAME TO account_rows",
      accounts("accounts_buffer"),
      """
      CREATE VIEW accounts AS
        SELECT * FROM accounts_buffer
        UNION ALL
        SELECT * FROM account_rows a
        WHERE NOT EXISTS (SELECT 1 FROM accounts_buffer b WHERE b.account = a.account)
      """,
    ]
  }

  /// Rows that are looked up by customer.
  ///
  /// list: 1 the customer's transactions without entries; 2 others with events on the customer about holds or counters;
  /// 3 the customer's open holds, by the transactions that created them.
  private static func customerList(_ name: String) -> String {
    """
    CREATE TABLE \(name) (
      customer INTEGER NOT NULL,
      list INTEGER NOT NULL CHECK (list BETWEEN 1 AND 3),
      number INTEGER NOT NULL,
      PRIMARY KEY (customer, list, number)
    ) STRICT, WITHOUT ROWID
    """
  }

  /// An order's announcement never changes, but its progress does.
  private static let orderTriggers = [
    """
    CREATE TRIGGER orders_refuse_update
      BEFORE UPDATE OF number, code, store, product, quantity, created_at, deadline ON orders
      BEGIN SELECT RAISE(ABORT, 'what an order announced never changes'); END
    """,
    """
    CREATE TRIGGER orders_refuse_request_update BEFORE UPDATE OF request, key ON orders
      WHEN NEW.request <> '{}' OR NEW.key IS NOT NULL
        OR NOT EXISTS (SELECT 1 FROM erasures WHERE customer = OLD.customer)
      BEGIN SELECT RAISE(ABORT, 'what an order announced never changes'); END
    """,
    """
    CREATE TRIGGER orders_refuse_payment_update BEFORE UPDATE OF purchase ON orders
      WHEN OLD.purchase IS NOT NULL AND NEW.purchase IS NOT OLD.purchase
      BEGIN SELECT RAISE(ABORT, 'an order is paid for once'); END
    """,
    """
    CREATE TRIGGER orders_refuse_delete BEFORE DELETE ON orders
      BEGIN SELECT RAISE(ABORT, 'orders are kept'); END
    """,
  ]
}
