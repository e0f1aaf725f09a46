extension Migration {
  /// Tables about the ledger as a whole, and its customers.
  static let foundations = """
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

    -- frozen: 0 for a customer who may spend; 1 for a freeze by an operator, and 2 for each refund that froze.
    -- merged_into: the surviving customer, 0 for none; merged_count: how many customers were merged into this one.
    CREATE TABLE customers (
      customer INTEGER PRIMARY KEY,
      id TEXT,
      created_at INTEGER NOT NULL,
      frozen INTEGER NOT NULL DEFAULT 0,
      frozen_reason TEXT,
      merged_into INTEGER NOT NULL DEFAULT 0,
      merged_count INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX customers_merged ON customers (merged_into) WHERE merged_into <> 0;

    CREATE TABLE aliases (
      id TEXT PRIMARY KEY,
      customer INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- The ids of a customer beside the first one; each is in aliases too.
    CREATE TABLE added_ids (
      customer INTEGER NOT NULL,
      id TEXT NOT NULL,
      PRIMARY KEY (customer, id)
    ) STRICT, WITHOUT ROWID;

    -- The two halves of the UUID that travels with a purchase and names the buyer.
    CREATE TABLE account_tokens (
      high INTEGER NOT NULL,
      low INTEGER NOT NULL,
      customer INTEGER NOT NULL,
      PRIMARY KEY (high, low)
    ) STRICT, WITHOUT ROWID;

    -- The customers whose ids, notes and keys were erased; the triggers allow those deletions.
    CREATE TABLE erasures (
      customer INTEGER NOT NULL,
      transaction_number INTEGER NOT NULL,
      PRIMARY KEY (customer, transaction_number)
    ) STRICT, WITHOUT ROWID;

    -- A row while a copy of another storage's ledger is under way: the file is no ledger until the row is gone.
    -- source: the newest transaction of the copied ledger.
    CREATE TABLE copy_progress (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      step INTEGER NOT NULL,
      pages INTEGER NOT NULL,
      source INTEGER NOT NULL
    ) STRICT;

    -- A row where numbers that another storage drew have gaps: the last such numbers, the count of their rows, and the
    -- latest instant of those. Numbers drawn by this storage have no gaps.
    CREATE TABLE copied_journal (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      last_transaction INTEGER NOT NULL,
      transactions INTEGER NOT NULL,
      last_entry INTEGER NOT NULL,
      entries INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;

    -- Sums of the digests of all rows, which wrap around.
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
    ) STRICT;
    INSERT INTO record_sums VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0);

    \(appendOnly("catalog_versions"))
    \(appendOnly("erasures"))
    \(appendOnly("copied_journal"))
    """
}
