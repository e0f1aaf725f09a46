extension Migration {
  static let addOrders = """
    -- Purchases announced before payment. What was announced never changes, how far it came does.
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

    CREATE TRIGGER orders_keep_terms
      BEFORE UPDATE OF number, code, store, product, quantity, request, key, created_at, deadline ON orders
      BEGIN SELECT RAISE(ABORT, 'what an order announced never changes'); END;
    CREATE TRIGGER orders_keep_payment BEFORE UPDATE OF purchase ON orders
      WHEN OLD.purchase IS NOT NULL AND NEW.purchase IS NOT OLD.purchase
      BEGIN SELECT RAISE(ABORT, 'an order is paid for once'); END;
    CREATE TRIGGER orders_keep_deletes BEFORE DELETE ON orders
      BEGIN SELECT RAISE(ABORT, 'orders are kept'); END;

    -- The two halves of the UUID that travels with a purchase and says who bought.
    CREATE TABLE account_tokens (
      high INTEGER NOT NULL,
      low INTEGER NOT NULL,
      customer INTEGER NOT NULL,
      PRIMARY KEY (high, low)
    ) STRICT, WITHOUT ROWID;

    -- Who has the entitlement that a purchase gave: whom it was credited to, until it moves.
    CREATE TABLE entitlements (
      purchase INTEGER PRIMARY KEY,
      holder INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX entitlements_of_holder ON entitlements (holder, purchase);
    INSERT INTO entitlements
      SELECT purchase, customer FROM purchases JOIN purchase_terms USING (terms)
      WHERE document LIKE '%"entitlement":"%';
    """
}
