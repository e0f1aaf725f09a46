#if PostgreSQL
extension PostgresMigration {
  /// Rows that change: those of projections can be made again from the journal, and `verify` compares them.
  ///
  /// Instants are milliseconds; 9223372036854775807 stands for never.
  static let projections = [
    // next_scheduled_at: no hold ends, and nothing recharges or is allowed, before this instant.
    """
    CREATE TABLE accounts (
      customer bigint NOT NULL,
      currency smallint NOT NULL,
      balance bigint NOT NULL CHECK (balance >= 0),
      debt bigint NOT NULL CHECK (debt >= 0),
      held bigint NOT NULL CHECK (held >= 0),
      version bigint NOT NULL,
      last_entry bigint NOT NULL,
      pool_lot bigint NOT NULL,
      pool_source smallint NOT NULL,
      pool_environment bigint NOT NULL,
      pool_granted bigint NOT NULL,
      pool_remaining bigint NOT NULL CHECK (pool_remaining >= 0),
      open_lots bigint NOT NULL,
      next_expiry bigint NOT NULL,
      next_scheduled_at bigint NOT NULL,
      PRIMARY KEY (customer, currency)
    ) WITH (fillfactor = 75)
    """,
    """
    CREATE TABLE lots (
      customer bigint NOT NULL,
      lot bigint NOT NULL,
      currency smallint NOT NULL,
      source smallint NOT NULL,
      environment bigint NOT NULL,
      granted bigint NOT NULL,
      remaining bigint NOT NULL CHECK (remaining >= 0 AND remaining <= granted),
      price bigint,
      price_currency text,
      purchase bigint,
      expires_at bigint NOT NULL,
      PRIMARY KEY (customer, lot)
    )
    """,
    "CREATE INDEX lots_open ON lots (customer, currency, (source = 1), expires_at, lot) WHERE remaining > 0",
    """
    CREATE INDEX lots_pooled ON lots (customer, currency, source, environment)
      WHERE purchase IS NULL AND expires_at = 9223372036854775807
    """,
    """
    CREATE TABLE owned_items (
      customer bigint NOT NULL,
      item text COLLATE "C" NOT NULL,
      quantity bigint NOT NULL CHECK (quantity >= 0),
      PRIMARY KEY (customer, item)
    )
    """,
    // A row every 64 entries of an account, from which a read goes back through its history.
    """
    CREATE TABLE checkpoints (
      customer bigint NOT NULL,
      currency smallint NOT NULL,
      version bigint NOT NULL,
      entry bigint NOT NULL,
      transaction_number bigint NOT NULL,
      created_at bigint NOT NULL,
      PRIMARY KEY (customer, currency, version)
    )
    """,
    // The holds that have not ended, each with its present customer, by the number of the transaction that began it.
    // Most holds are of one lot and end with one command, which then reads neither their transactions nor their
    // events.
    // begun_at: NULL after a merge, where the transaction tells it.
    // currency, lot, amount: the rest of a hold of one lot; NULL where its events tell it.
    """
    CREATE TABLE open_holds (
      customer bigint NOT NULL,
      hold bigint NOT NULL,
      deadline bigint NOT NULL,
      begun_at bigint,
      currency smallint,
      lot bigint,
      amount bigint,
      PRIMARY KEY (customer, hold),
      CHECK ((currency IS NULL) = (lot IS NULL) AND (lot IS NULL) = (amount IS NULL))
    )
    """,
    // Each counter as its newest event left it. period: when the counter's period began; 0 for none.
    """
    CREATE TABLE counters (
      customer bigint NOT NULL,
      kind smallint NOT NULL,
      subject text COLLATE "C" NOT NULL,
      period bigint NOT NULL,
      value bigint NOT NULL,
      PRIMARY KEY (customer, kind, subject)
    ) WITH (fillfactor = 75)
    """,
    // Purchases announced before payment. The announcement never changes, its progress does.
    // due_at: a pending order's deadline, the instant at which one failed, the next try of a delivery;
    // 9223372036854775807 for never.
    """
    CREATE TABLE orders (
      customer bigint NOT NULL,
      number bigint NOT NULL,
      code text COLLATE "C" NOT NULL,
      store smallint NOT NULL,
      product text COLLATE "C" NOT NULL,
      quantity bigint NOT NULL CHECK (quantity > 0),
      request text NOT NULL,
      key text COLLATE "C",
      state smallint NOT NULL CHECK (state BETWEEN 1 AND 4),
      purchase bigint,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      deadline bigint NOT NULL,
      due_at bigint NOT NULL,
      delivery_attempts bigint NOT NULL CHECK (delivery_attempts >= 0),
      PRIMARY KEY (customer, number),
      CHECK ((purchase IS NOT NULL) = (state IN (2, 4)))
    )
    """,
    "CREATE UNIQUE INDEX orders_of_key ON orders (customer, key) WHERE key IS NOT NULL",
    "CREATE INDEX orders_of_purchase ON orders (purchase) WHERE purchase IS NOT NULL",
    "CREATE INDEX orders_due ON orders (state, due_at, number) WHERE state <> 2",
    // The purchases that gave the entitlements of a customer.
    """
    CREATE TABLE entitlements (
      customer bigint NOT NULL,
      purchase bigint NOT NULL,
      PRIMARY KEY (customer, purchase)
    )
    """,
  ]
}
#endif
