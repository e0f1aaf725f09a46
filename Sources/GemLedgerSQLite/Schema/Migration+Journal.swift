extension Migration {
  /// The journal: rows are appended, never changed.
  static let journal = """
    -- digest: of all rows booked with the transaction.
    -- erasable_digest: the part of it over keys and the note, which an erasure removes; NULL for none.
    CREATE TABLE transactions (
      number INTEGER PRIMARY KEY,
      kind INTEGER NOT NULL,
      customer INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      first_entry INTEGER NOT NULL,
      digest INTEGER NOT NULL,
      erasable_digest INTEGER
    ) STRICT;

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

    -- position: the index in the order of burning, which a replayed answer needs.
    CREATE TABLE allocations (
      entry INTEGER NOT NULL,
      position INTEGER NOT NULL,
      lot INTEGER NOT NULL,
      amount INTEGER NOT NULL CHECK (amount <> 0),
      PRIMARY KEY (entry, position)
    ) STRICT, WITHOUT ROWID;

    -- A key in the form of a UUID is stored as its sixteen bytes.
    -- request_digest, qualifier_digest: the fingerprint of the request.
    CREATE TABLE keys (
      key ANY NOT NULL,
      customer INTEGER NOT NULL,
      request_digest INTEGER NOT NULL,
      qualifier_digest INTEGER NOT NULL,
      transaction_number INTEGER,
      refusal TEXT,
      PRIMARY KEY (key, customer)
    ) STRICT, WITHOUT ROWID;

    -- Free text lies beside the journal and can be erased.
    CREATE TABLE notes (
      transaction_number INTEGER PRIMARY KEY,
      reference TEXT,
      reason TEXT,
      actor TEXT
    ) STRICT;

    CREATE TABLE frozen_products (
      frozen_product INTEGER PRIMARY KEY,
      document TEXT NOT NULL UNIQUE
    ) STRICT;

    -- grant_currency, grant_lot, grant_amount: the grant of a purchase that gave currency of one lot and nothing else;
    -- NULL where the transaction's rows tell it.
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
      frozen_product INTEGER NOT NULL,
      original_transaction TEXT,
      expires_at INTEGER,
      grant_currency INTEGER,
      grant_lot INTEGER,
      grant_amount INTEGER,
      UNIQUE (store_transaction, environment, store)
    ) STRICT;
    CREATE INDEX purchases_of_customers ON purchases (customer);

    -- A merge takes items from one customer and gives them to another in one transaction.
    CREATE TABLE item_entries (
      transaction_number INTEGER NOT NULL,
      item TEXT NOT NULL,
      customer INTEGER NOT NULL,
      quantity INTEGER NOT NULL CHECK (quantity <> 0),
      owned INTEGER NOT NULL CHECK (owned >= 0),
      PRIMARY KEY (transaction_number, item, customer)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE merges (
      transaction_number INTEGER PRIMARY KEY,
      from_customer INTEGER NOT NULL,
      into_customer INTEGER NOT NULL
    ) STRICT;

    -- A lot's attributes apart from its amounts, as they were when the lot was made.
    -- original_lot: the lot of another customer that the lot came out of; 0 for none.
    CREATE TABLE lot_attributes (
      lot INTEGER PRIMARY KEY,
      source INTEGER NOT NULL,
      environment INTEGER NOT NULL,
      price INTEGER,
      price_currency TEXT,
      purchase INTEGER,
      expires_at INTEGER NOT NULL,
      original_lot INTEGER NOT NULL
    ) STRICT;

    -- kind, revoked_at, signed_at: the store's notice. share, share_of: how much of the whole purchase is clawed back
    -- from here on. freezes: 1 where it froze the customer, -1 where it lifted a freeze.
    -- evidence_at: when the newest notice by then was signed, where that differs from signed_at.
    -- extent_kind, extent: how much the notice gives back; NULL where it lies in refund_evidence, or without a notice.
    -- lot, part_kind, source_lot, amount: the only part, as in refund_parts; NULL where the parts lie there. Most
    -- refunds take one lot's currency, and each further table costs them a page of the file.
    CREATE TABLE refunds (
      transaction_number INTEGER PRIMARY KEY,
      purchase INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      revoked_at INTEGER NOT NULL,
      signed_at INTEGER NOT NULL,
      share INTEGER NOT NULL,
      share_of INTEGER NOT NULL,
      freezes INTEGER NOT NULL,
      evidence_at INTEGER,
      extent_kind INTEGER,
      extent INTEGER,
      lot INTEGER,
      part_kind INTEGER,
      source_lot INTEGER,
      amount INTEGER
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

    -- Everything that transactions did beside their entries.
    -- kind: 1 reverses target, 2 sets the deadline of hold target, 3 held, 4 captured, 5 released, 6 counted,
    -- 7 came back too late, 8 the same booking's transaction of the customer in value, 9 came back to a refunded
    -- purchase.
    -- counter_kind, subject: the counter; NULL for all but 6.
    CREATE TABLE journal_events (
      transaction_number INTEGER NOT NULL,
      position INTEGER NOT NULL,
      customer INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      target INTEGER NOT NULL,
      currency INTEGER NOT NULL,
      lot INTEGER NOT NULL,
      amount INTEGER NOT NULL CHECK (amount >= 0),
      value INTEGER NOT NULL,
      counter_kind INTEGER,
      subject TEXT,
      period INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      held_after INTEGER NOT NULL CHECK (held_after >= 0),
      PRIMARY KEY (transaction_number, position),
      CHECK ((counter_kind IS NULL) = (subject IS NULL))
    ) STRICT, WITHOUT ROWID;
    -- An event about its own transaction is found by that transaction: each index costs a hold a page of the file.
    CREATE INDEX journal_events_of_targets ON journal_events (target, transaction_number, position)
      WHERE target <> 0 AND target <> transaction_number;

    \(appendOnly("transactions"))
    \(appendOnly("entries"))
    \(appendOnly("allocations"))
    \(appendOnly("frozen_products"))
    \(appendOnly("purchases"))
    \(appendOnly("item_entries"))
    \(appendOnly("merges"))
    \(appendOnly("lot_attributes"))
    \(appendOnly("refunds"))
    \(appendOnly("refund_parts"))
    \(appendOnly("journal_events"))
    CREATE TRIGGER keys_refuse_update BEFORE UPDATE ON keys
      BEGIN SELECT RAISE(ABORT, 'keys is append-only'); END;
    CREATE TRIGGER keys_refuse_delete BEFORE DELETE ON keys
      WHEN NOT EXISTS (SELECT 1 FROM erasures WHERE customer = OLD.customer)
      BEGIN SELECT RAISE(ABORT, 'keys is append-only'); END;
    """
}
