extension Migration {
  /// Rows that change: those of projections can be made again from the journal, and `verify` compares them.
  static let projections = """
    -- next_scheduled_at: no hold ends, and nothing recharges or is allowed, before this instant; NULL for never.
    CREATE TABLE accounts (
      account INTEGER PRIMARY KEY,
      balance INTEGER NOT NULL CHECK (balance >= 0),
      debt INTEGER NOT NULL CHECK (debt >= 0),
      held INTEGER NOT NULL CHECK (held >= 0),
      version INTEGER NOT NULL,
      last_entry INTEGER NOT NULL,
      pool_lot INTEGER NOT NULL,
      pool_source INTEGER NOT NULL,
      pool_environment INTEGER NOT NULL,
      pool_granted INTEGER NOT NULL,
      pool_remaining INTEGER NOT NULL CHECK (pool_remaining >= 0),
      open_lots INTEGER NOT NULL,
      next_expiry INTEGER,
      next_scheduled_at INTEGER
    ) STRICT;

    -- expires_at: 253402300799999, the last millisecond of the year 9999, stands for never.
    CREATE TABLE lots (
      lot INTEGER PRIMARY KEY,
      account INTEGER NOT NULL,
      source INTEGER NOT NULL,
      environment INTEGER NOT NULL,
      granted INTEGER NOT NULL,
      remaining INTEGER NOT NULL CHECK (remaining >= 0 AND remaining <= granted),
      price INTEGER,
      price_currency TEXT,
      purchase INTEGER,
      expires_at INTEGER NOT NULL,
      paid INTEGER NOT NULL GENERATED ALWAYS AS (source = 1) VIRTUAL
    ) STRICT;
    CREATE INDEX lots_open ON lots (account, paid, expires_at) WHERE remaining > 0;
    CREATE INDEX lots_pooled ON lots (account, source, environment)
      WHERE purchase IS NULL AND expires_at = 253402300799999;

    CREATE TABLE lot_sequence (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      last INTEGER NOT NULL
    ) STRICT;
    INSERT INTO lot_sequence VALUES (1, 0);

    CREATE TABLE owned_items (
      customer INTEGER NOT NULL,
      item TEXT NOT NULL,
      quantity INTEGER NOT NULL CHECK (quantity >= 0),
      PRIMARY KEY (customer, item)
    ) STRICT, WITHOUT ROWID;

    -- A row every 64 entries of an account, from which a read goes back through its history.
    CREATE TABLE checkpoints (
      account INTEGER NOT NULL,
      version INTEGER NOT NULL,
      entry INTEGER NOT NULL,
      transaction_number INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (account, version)
    ) STRICT, WITHOUT ROWID;

    -- The holds that have not ended, each by the number of the transaction that began it. Most holds are of one lot and
    -- end with one command, which then reads neither their transactions nor their events.
    -- begun_at: NULL after a merge, where the transaction tells it.
    -- currency, lot, amount: the rest of a hold of one lot; NULL where its events tell it.
    CREATE TABLE open_holds (
      hold INTEGER PRIMARY KEY,
      customer INTEGER NOT NULL,
      deadline INTEGER NOT NULL,
      begun_at INTEGER,
      currency INTEGER,
      lot INTEGER,
      amount INTEGER
    ) STRICT;

    -- period: when the counter's period began, in milliseconds; 0 for none.
    CREATE TABLE counters (
      customer INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      subject TEXT NOT NULL,
      period INTEGER NOT NULL,
      value INTEGER NOT NULL,
      PRIMARY KEY (customer, kind, subject)
    ) STRICT, WITHOUT ROWID;

    -- list: 1 the customer's transactions without entries; 2 others with events on the customer about holds or
    -- counters; 3 the customer's open holds, by the transactions that began them.
    CREATE TABLE customer_lists (
      customer INTEGER NOT NULL,
      list INTEGER NOT NULL CHECK (list BETWEEN 1 AND 3),
      number INTEGER NOT NULL,
      PRIMARY KEY (customer, list, number)
    ) STRICT, WITHOUT ROWID;
    -- The newest rows of the lists; a row is in one of the two tables.
    CREATE TABLE customer_lists_buffer (
      customer INTEGER NOT NULL,
      list INTEGER NOT NULL CHECK (list BETWEEN 1 AND 3),
      number INTEGER NOT NULL,
      PRIMARY KEY (customer, list, number)
    ) STRICT, WITHOUT ROWID;

    -- The newest notice of the store about each refund that none was booked for, of unknown purchases too.
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
    ) STRICT, WITHOUT ROWID;

    -- Purchases announced before payment. The announcement never changes, its progress does.
    -- due_at: a pending order's deadline, the instant at which one failed, the next try of a delivery;
    -- 9223372036854775807 for never.
    CREATE TABLE orders (
      number INTEGER PRIMARY KEY,
      code TEXT NOT NULL UNIQUE,
      customer INTEGER NOT NULL,
      store INTEGER NOT NULL,
      product TEXT NOT NULL,
      quantity INTEGER NOT NULL CHECK (quantity > 0),
      request TEXT NOT NULL,
      key TEXT,
      state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 4),
      purchase INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deadline INTEGER NOT NULL,
      due_at INTEGER NOT NULL,
      delivery_attempts INTEGER NOT NULL CHECK (delivery_attempts >= 0),
      CHECK ((purchase IS NOT NULL) = (state IN (2, 4)))
    ) STRICT;
    CREATE INDEX orders_of_customer ON orders (customer, number);
    CREATE INDEX orders_due ON orders (state, due_at, number) WHERE state <> 2;
    CREATE UNIQUE INDEX orders_of_purchase ON orders (purchase) WHERE purchase IS NOT NULL;
    CREATE UNIQUE INDEX orders_of_key ON orders (customer, key) WHERE key IS NOT NULL;

    CREATE TRIGGER orders_refuse_update
      BEFORE UPDATE OF number, code, store, product, quantity, created_at, deadline ON orders
      BEGIN SELECT RAISE(ABORT, 'what an order announced never changes'); END;
    CREATE TRIGGER orders_refuse_request_update BEFORE UPDATE OF request, key ON orders
      WHEN NEW.request <> '{}' OR NEW.key IS NOT NULL
        OR NOT EXISTS (SELECT 1 FROM erasures WHERE customer = OLD.customer)
      BEGIN SELECT RAISE(ABORT, 'what an order announced never changes'); END;
    CREATE TRIGGER orders_refuse_payment_update BEFORE UPDATE OF purchase ON orders
      WHEN OLD.purchase IS NOT NULL AND NEW.purchase IS NOT OLD.purchase
      BEGIN SELECT RAISE(ABORT, 'an order is paid for once'); END;
    CREATE TRIGGER orders_refuse_delete BEFORE DELETE ON orders
      BEGIN SELECT RAISE(ABORT, 'orders are kept'); END;

    -- The current owner of the entitlement that a purchase gave.
    CREATE TABLE entitlements (
      purchase INTEGER PRIMARY KEY,
      holder INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX entitlements_of_holder ON entitlements (holder, purchase);
    """
}
