extension Migration {
  static let addRefundsAndMerges = """
    -- frozen: 0 for a customer who may spend; 1 for one frozen by a person, and 2 for each refund that froze them.
    -- merged_into: whom the customer became part of, 0 for nobody; merged: how many became part of the customer.
    ALTER TABLE customers ADD COLUMN frozen_reason TEXT;
    ALTER TABLE customers ADD COLUMN merged_into INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE customers ADD COLUMN merged INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX customers_merged ON customers (merged_into) WHERE merged_into <> 0;

    -- The ids of a customer beside the one that the customer came with; each is in aliases too.
    CREATE TABLE added_ids (
      customer INTEGER NOT NULL,
      id TEXT NOT NULL,
      PRIMARY KEY (customer, id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE merges (
      transaction_number INTEGER PRIMARY KEY,
      from_customer INTEGER NOT NULL,
      into_customer INTEGER NOT NULL
    ) STRICT;

    -- What a lot is apart from its amounts, as it was when the lot was made.
    CREATE TABLE lot_terms (
      lot INTEGER PRIMARY KEY,
      source INTEGER NOT NULL,
      environment INTEGER NOT NULL,
      price INTEGER,
      price_currency TEXT,
      purchase INTEGER,
      expires_at INTEGER NOT NULL
    ) STRICT;
    INSERT INTO lot_terms
      SELECT lot, source, environment, price, price_currency, purchase, expires_at FROM lots
      UNION ALL
      SELECT pool_lot, pool_source, pool_environment, NULL, NULL, NULL, 253402300799999
      FROM accounts WHERE pool_lot <> 0;

    ALTER TABLE purchases ADD COLUMN original_transaction TEXT;
    ALTER TABLE purchases ADD COLUMN expires_at INTEGER;
    CREATE INDEX purchases_of_customers ON purchases (customer);

    -- A merge takes items from one customer and gives them to another in one transaction.
    CREATE TABLE moved_item_entries (
      transaction_number INTEGER NOT NULL,
      item TEXT NOT NULL,
      customer INTEGER NOT NULL,
      quantity INTEGER NOT NULL CHECK (quantity <> 0),
      owned INTEGER NOT NULL CHECK (owned >= 0),
      PRIMARY KEY (transaction_number, item, customer)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO moved_item_entries SELECT transaction_number, item, customer, quantity, owned FROM item_entries;
    DROP TABLE item_entries;
    ALTER TABLE moved_item_entries RENAME TO item_entries;

    -- share, share_of: how much of the whole purchase is clawed back from here on.
    -- kind, revoked_at, signed_at: the notice that made it. freezes: 1 where it froze the customer, -1 where it lifted.
    CREATE TABLE refunds (
      transaction_number INTEGER PRIMARY KEY,
      purchase INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      revoked_at INTEGER NOT NULL,
      signed_at INTEGER NOT NULL,
      share INTEGER NOT NULL,
      share_of INTEGER NOT NULL,
      freezes INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX refunds_of_purchases ON refunds (purchase);

    -- kind: 1 taken from the lot source_lot, 2 owed, 3 short, 4 repaid; a reversal has negative amounts of 1 to 3.
    CREATE TABLE refund_parts (
      transaction_number INTEGER NOT NULL,
      position INTEGER NOT NULL,
      lot INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      source_lot INTEGER NOT NULL,
      amount INTEGER NOT NULL CHECK (amount <> 0),
      PRIMARY KEY (transaction_number, position)
    ) STRICT, WITHOUT ROWID;

    -- What the store said last of each refund, of purchases that are still to come too.
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

    -- A projection: the newest refund of each purchase that has any.
    CREATE TABLE refund_states (
      purchase INTEGER PRIMARY KEY,
      share INTEGER NOT NULL,
      share_of INTEGER NOT NULL,
      evidence_at INTEGER NOT NULL,
      transaction_number INTEGER NOT NULL
    ) STRICT;

    \(appendOnly("item_entries"))
    \(appendOnly("merges"))
    \(appendOnly("lot_terms"))
    \(appendOnly("refunds"))
    \(appendOnly("refund_parts"))
    """

  /// Most refunds take one lot's currency for one notice, and each table that says so costs them a page of the file.
  static let bookRefundsInOneRow = """
    -- evidence_at: when the newest notice by then was signed, where that is not signed_at.
    ALTER TABLE refunds ADD COLUMN evidence_at INTEGER;
    -- What the notice says is given back; NULL where it lies in refund_evidence, which now keeps what no refund was
    -- booked for, or where it was no notice of the store's.
    ALTER TABLE refunds ADD COLUMN extent_kind INTEGER;
    ALTER TABLE refunds ADD COLUMN extent INTEGER;
    -- The only part, as in refund_parts; NULL where the parts lie there.
    ALTER TABLE refunds ADD COLUMN lot INTEGER;
    ALTER TABLE refunds ADD COLUMN part_kind INTEGER;
    ALTER TABLE refunds ADD COLUMN source_lot INTEGER;
    ALTER TABLE refunds ADD COLUMN amount INTEGER;

    -- What the purchase gave, where that was one lot's currency and nothing else; NULL where its transaction says.
    ALTER TABLE purchases ADD COLUMN grant_currency INTEGER;
    ALTER TABLE purchases ADD COLUMN grant_lot INTEGER;
    ALTER TABLE purchases ADD COLUMN grant_amount INTEGER;

    -- The newest refund of a purchase says how much of it is clawed back.
    DROP TABLE refund_states;
    """
}
