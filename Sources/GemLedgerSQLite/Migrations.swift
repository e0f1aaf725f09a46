/// A step of the schema.
///
/// Once shipped it is never edited: a new need is a new step.
package struct Migration: Sendable {
  package let name: String
  package let sql: String

  package static let all = [
    Migration(name: "0001-create-ledger", sql: createLedger),
    Migration(name: "0002-add-refunds-and-merges", sql: addRefundsAndMerges),
    Migration(name: "0003-add-orders", sql: addOrders),
    Migration(name: "0004-add-copies", sql: addCopies),
    Migration(name: "0005-add-effects", sql: addEffects),
    Migration(name: "0006-list-effects", sql: listEffects),
    Migration(name: "0007-list-by-customers", sql: listByCustomers),
    Migration(name: "0008-book-refunds-in-one-row", sql: bookRefundsInOneRow),
    Migration(name: "0009-say-what-holds-have", sql: sayWhatHoldsHave),
    Migration(name: "0010-unlist-moved-holds", sql: unlistMovedHolds),
    Migration(name: "0011-digest-transactions", sql: digestTransactions),
  ]
}

extension Migration {
  private static let createLedger = """
    CREATE TABLE migrations (
      name TEXT PRIMARY KEY,
      applied_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE project (
      project INTEGER PRIMARY KEY CHECK (project = 1),
      salt INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;

    -- The catalog: a JSON document an object. A currency's position is its number and never changes.
    CREATE TABLE catalog (
      kind INTEGER NOT NULL,
      code TEXT NOT NULL,
      position INTEGER NOT NULL,
      document TEXT NOT NULL,
      PRIMARY KEY (kind, code)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE catalog_versions (
      version INTEGER PRIMARY KEY,
      applied_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE environments (
      environment INTEGER PRIMARY KEY,
      kind INTEGER NOT NULL,
      session TEXT
    ) STRICT;

    CREATE TABLE customers (
      customer INTEGER PRIMARY KEY,
      id TEXT,
      created_at INTEGER NOT NULL,
      frozen INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    CREATE TABLE aliases (
      id TEXT PRIMARY KEY,
      customer INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- The journal: appended, never changed.
    CREATE TABLE transactions (
      number INTEGER PRIMARY KEY,
      kind INTEGER NOT NULL,
      customer INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      first_entry INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE transactions_without_entries (
      customer INTEGER NOT NULL,
      number INTEGER NOT NULL,
      PRIMARY KEY (customer, number)
    ) STRICT, WITHOUT ROWID;

    -- account = customer * 1024 + currency number.
    -- lot: the lot that the whole entry fell on; 0 where its allocations have rows.
    -- previous: the account's entry before this one.
    CREATE TABLE entries (
      number INTEGER PRIMARY KEY,
      transaction_number INTEGER NOT NULL,
      account INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      amount INTEGER NOT NULL CHECK (amount <> 0),
      balance INTEGER NOT NULL CHECK (balance >= 0),
      debt INTEGER NOT NULL CHECK (debt >= 0),
      version INTEGER NOT NULL,
      previous INTEGER NOT NULL,
      lot INTEGER NOT NULL
    ) STRICT;

    -- position: the place in the order of burning, which an answer that is given again needs.
    CREATE TABLE allocations (
      entry INTEGER NOT NULL,
      position INTEGER NOT NULL,
      lot INTEGER NOT NULL,
      amount INTEGER NOT NULL CHECK (amount <> 0),
      PRIMARY KEY (entry, position)
    ) STRICT, WITHOUT ROWID;

    -- A key that is written like a UUID is kept as its sixteen bytes.
    CREATE TABLE keys (
      key ANY NOT NULL,
      customer INTEGER NOT NULL,
      asked INTEGER NOT NULL,
      qualifiers INTEGER NOT NULL,
      transaction_number INTEGER,
      refusal TEXT,
      PRIMARY KEY (key, customer)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE purchase_terms (
      terms INTEGER PRIMARY KEY,
      document TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE purchases (
      purchase INTEGER PRIMARY KEY,
      store INTEGER NOT NULL,
      environment INTEGER NOT NULL,
      store_transaction TEXT NOT NULL,
      customer INTEGER NOT NULL,
      transaction_number INTEGER NOT NULL,
      product TEXT NOT NULL,
      quantity INTEGER NOT NULL CHECK (quantity > 0),
      price INTEGER,
      price_currency TEXT,
      purchased_at INTEGER NOT NULL,
      terms INTEGER NOT NULL,
      UNIQUE (store_transaction, environment, store)
    ) STRICT;

    CREATE TABLE item_entries (
      transaction_number INTEGER NOT NULL,
      item TEXT NOT NULL,
      customer INTEGER NOT NULL,
      quantity INTEGER NOT NULL CHECK (quantity <> 0),
      owned INTEGER NOT NULL CHECK (owned >= 0),
      PRIMARY KEY (transaction_number, item)
    ) STRICT, WITHOUT ROWID;

    -- What people wrote lies beside the journal and can be erased.
    CREATE TABLE notes (
      transaction_number INTEGER PRIMARY KEY,
      reference TEXT,
      reason TEXT,
      actor TEXT
    ) STRICT;

    -- Projections: all of this can be made again from the journal, and verify compares.
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
      next_expiry INTEGER
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

    -- A stepping stone every 64 entries of an account.
    CREATE TABLE anchors (
      account INTEGER NOT NULL,
      version INTEGER NOT NULL,
      entry INTEGER NOT NULL,
      transaction_number INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (account, version)
    ) STRICT, WITHOUT ROWID;

    \(appendOnly("transactions"))
    \(appendOnly("entries"))
    \(appendOnly("allocations"))
    \(appendOnly("keys"))
    \(appendOnly("purchase_terms"))
    \(appendOnly("purchases"))
    \(appendOnly("item_entries"))
    \(appendOnly("catalog_versions"))
    """

  static func appendOnly(_ table: String) -> String {
    """
    CREATE TRIGGER \(table)_keep_updates BEFORE UPDATE ON \(table)
      BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;
    CREATE TRIGGER \(table)_keep_deletes BEFORE DELETE ON \(table)
      BEGIN SELECT RAISE(ABORT, '\(table) is append-only'); END;
    """
  }
}
