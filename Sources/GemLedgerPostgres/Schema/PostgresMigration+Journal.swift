#if PostgreSQL
extension PostgresMigration {
  /// The journal: rows are appended, never changed.
  ///
  /// Each row of these tables lies with the customer that it was written for; merges do not change that.
  static let journal = [
    // An entry's number is its transaction's, shifted by twelve bits, with its index among its entries.
    // digest: of all rows booked with the transaction.
    // erasable_digest: the part of it over keys and the note, which an erasure removes; NULL for none.
    """
    CREATE TABLE transactions (
      customer bigint NOT NULL,
      number bigint NOT NULL,
      kind smallint NOT NULL,
      has_entries boolean NOT NULL,
      created_at bigint NOT NULL,
      digest bigint NOT NULL,
      erasable_digest bigint,
      PRIMARY KEY (customer, number)
    )
    """,
    // The low six bits of a number are the lane that drew it: each lane's transactions in the order of their commits.
    "CREATE INDEX transactions_of_lanes ON transactions ((number & 63), number)",
    "CREATE INDEX transactions_without_entries ON transactions (customer, number) WHERE NOT has_entries",
    // lot: the lot that the whole entry fell on; 0 where its allocations have rows.
    // previous: the account's entry before this one.
    """
    CREATE TABLE entries (
      customer bigint NOT NULL,
      number bigint NOT NULL,
      currency smallint NOT NULL,
      kind smallint NOT NULL,
      amount bigint NOT NULL CHECK (amount <> 0),
      balance bigint NOT NULL CHECK (balance >= 0),
      debt bigint NOT NULL CHECK (debt >= 0),
      version bigint NOT NULL,
      previous bigint NOT NULL,
      lot bigint NOT NULL,
      PRIMARY KEY (customer, number)
    )
    """,
    // position: the index in the order of burning, which a replayed answer needs.
    """
    CREATE TABLE allocations (
      customer bigint NOT NULL,
      entry bigint NOT NULL,
      position bigint NOT NULL,
      lot bigint NOT NULL,
      amount bigint NOT NULL CHECK (amount <> 0),
      PRIMARY KEY (customer, entry, position)
    )
    """,
    // A key in the form of a UUID is stored as a zero byte and its sixteen bytes, any other as its text.
    // request_digest, qualifier_digest: the fingerprint of the request.
    """
    CREATE TABLE keys (
      customer bigint NOT NULL,
      key bytea NOT NULL,
      request_digest bigint NOT NULL,
      qualifier_digest bigint NOT NULL,
      transaction_number bigint,
      refusal text,
      PRIMARY KEY (customer, key)
    )
    """,
    // Free text lies beside the journal and can be erased.
    """
    CREATE TABLE notes (
      customer bigint NOT NULL,
      transaction_number bigint NOT NULL,
      reference text,
      reason text,
      actor text,
      PRIMARY KEY (customer, transaction_number)
    )
    """,
    """
    CREATE TABLE item_entries (
      customer bigint NOT NULL,
      transaction_number bigint NOT NULL,
      item text COLLATE "C" NOT NULL,
      quantity bigint NOT NULL CHECK (quantity <> 0),
      owned bigint NOT NULL CHECK (owned >= 0),
      PRIMARY KEY (customer, transaction_number, item)
    )
    """,
    // A lot's attributes apart from its amounts, as they were when the lot was made. A lot that moved to another
    // customer has a row with each of its customers.
    // original_lot: the lot of another customer that the lot came out of; 0 for none.
    """
    CREATE TABLE lot_attributes (
      customer bigint NOT NULL,
      lot bigint NOT NULL,
      source smallint NOT NULL,
      environment bigint NOT NULL,
      price bigint,
      price_currency text,
      purchase bigint,
      expires_at bigint NOT NULL,
      original_lot bigint NOT NULL,
      PRIMARY KEY (customer, lot)
    )
    """,
    // Transferred currency leads back to lots of other customers.
    "CREATE INDEX lot_attributes_by_lot ON lot_attributes (lot)",
    """
    CREATE TABLE merges (
      customer bigint NOT NULL,
      transaction_number bigint NOT NULL,
      from_customer bigint NOT NULL,
      PRIMARY KEY (customer, transaction_number)
    )
    """,
    // frozen_product: a hash of the document, so that equal documents need no look-up.
    "CREATE TABLE frozen_products (frozen_product bigint PRIMARY KEY, document text NOT NULL)",
    // grant_currency, grant_lot, grant_amount: the grant of a purchase that gave currency of one lot and nothing
    // else; NULL where the transaction's rows tell it.
    """
    CREATE TABLE purchases (
      customer bigint NOT NULL,
      purchase bigint NOT NULL,
      store smallint NOT NULL,
      environment bigint NOT NULL,
      store_transaction text COLLATE "C" NOT NULL,
      transaction_number bigint NOT NULL,
      product text COLLATE "C" NOT NULL,
      quantity bigint NOT NULL CHECK (quantity > 0),
      price bigint,
      price_currency text,
      purchased_at bigint NOT NULL,
      frozen_product bigint NOT NULL,
      original_transaction text COLLATE "C",
      expires_at bigint,
      grant_currency smallint,
      grant_lot bigint,
      grant_amount bigint,
      PRIMARY KEY (customer, purchase)
    )
    """,
    "CREATE INDEX purchases_by_number ON purchases (purchase)",
    // The customer is the one that the purchase was credited to.
    // kind, revoked_at, signed_at: the store's notice. share, share_of: how much of the whole purchase is clawed back
    // from here on. freezes: 1 where it froze the customer, -1 where it lifted a freeze.
    // evidence_at: when the newest notice by then was signed, where that differs from signed_at.
    // extent_kind, extent: how much the notice gives back; NULL where it lies in refund_evidence, or without a
    // notice.
    // lot, part_kind, source_lot, amount: the only part, as in refund_parts; NULL where the parts lie there. Most
    // refunds take one lot's currency, and each further table costs them a row and an index entry.
    """
    CREATE TABLE refunds (
      customer bigint NOT NULL,
      purchase bigint NOT NULL,
      transaction_number bigint NOT NULL,
      kind smallint NOT NULL,
      revoked_at bigint NOT NULL,
      signed_at bigint NOT NULL,
      share bigint NOT NULL,
      share_of bigint NOT NULL,
      freezes bigint NOT NULL,
      evidence_at bigint,
      extent_kind smallint,
      extent bigint,
      lot bigint,
      part_kind smallint,
      source_lot bigint,
      amount bigint,
      PRIMARY KEY (customer, purchase, transaction_number)
    )
    """,
    // kind: 1 taken from the lot source_lot, 2 owed, 3 short, 4 repaid; a reversal has negative amounts of 1 to 3.
    """
    CREATE TABLE refund_parts (
      customer bigint NOT NULL,
      transaction_number bigint NOT NULL,
      position bigint NOT NULL,
      lot bigint NOT NULL,
      kind smallint NOT NULL,
      source_lot bigint NOT NULL,
      amount bigint NOT NULL CHECK (amount <> 0),
      PRIMARY KEY (customer, transaction_number, position)
    )
    """,
    // Everything that transactions did beside their entries.
    // target: the transaction that was undone, or that began the hold; 0 for none. currency, lot: 0 for none.
    // counter_kind, subject: the counter; 0 and the empty text for none.
    """
    CREATE TABLE journal_events (
      customer bigint NOT NULL,
      transaction_number bigint NOT NULL,
      position bigint NOT NULL,
      kind smallint NOT NULL,
      target bigint NOT NULL,
      currency smallint NOT NULL,
      lot bigint NOT NULL,
      amount bigint NOT NULL CHECK (amount >= 0),
      value bigint NOT NULL,
      counter_kind smallint NOT NULL,
      subject text COLLATE "C" NOT NULL,
      period bigint NOT NULL,
      created_at bigint NOT NULL,
      held_after bigint NOT NULL CHECK (held_after >= 0),
      PRIMARY KEY (customer, transaction_number, position)
    )
    """,
    """
    CREATE INDEX journal_events_of_targets ON journal_events (customer, target, transaction_number, position)
      WHERE target <> 0
    """,
  ]
}
#endif
