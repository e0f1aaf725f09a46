extension Migration {
  static let addEffects = """
    -- next_due: no hold ends, and nothing recharges or is allowed, before this instant; NULL for never.
    ALTER TABLE accounts ADD COLUMN next_due INTEGER;

    -- origin: the lot of another customer that the lot came out of; 0 for none.
    ALTER TABLE lot_terms ADD COLUMN origin INTEGER NOT NULL DEFAULT 0;

    -- What transactions did beside their entries; part of the journal.
    -- kind: 1 undoes target, 2 sets the deadline of hold target, 3 held, 4 captured, 5 released, 6 counted,
    -- 7 what came back too late, 8 the same booking's transaction of the customer in value, 9 what came back to a
    -- refunded purchase.
    -- count_kind, subject: which count; NULL for all but 6.
    CREATE TABLE effects (
      transaction_number INTEGER NOT NULL,
      position INTEGER NOT NULL,
      customer INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      target INTEGER NOT NULL,
      currency INTEGER NOT NULL,
      lot INTEGER NOT NULL,
      amount INTEGER NOT NULL CHECK (amount >= 0),
      value INTEGER NOT NULL,
      count_kind INTEGER,
      subject TEXT,
      period INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      held_after INTEGER NOT NULL CHECK (held_after >= 0),
      PRIMARY KEY (transaction_number, position),
      CHECK ((count_kind IS NULL) = (subject IS NULL))
    ) STRICT, WITHOUT ROWID;
    -- Only what somebody asks for by customers: what is on hold, and what is counted.
    CREATE INDEX effects_of_customers ON effects (customer, transaction_number, position) WHERE kind BETWEEN 3 AND 6;
    CREATE INDEX effects_about ON effects (target, transaction_number, position) WHERE target <> 0;

    -- A projection: the holds that have not ended, each by the number of the transaction that began it.
    CREATE TABLE holds (
      hold INTEGER PRIMARY KEY,
      customer INTEGER NOT NULL,
      deadline INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX holds_of_customers ON holds (customer, deadline, hold);

    -- A projection: what each count of a customer is. period: when the period began, in milliseconds; 0 for none.
    CREATE TABLE counts (
      customer INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      subject TEXT NOT NULL,
      period INTEGER NOT NULL,
      value INTEGER NOT NULL,
      PRIMARY KEY (customer, kind, subject)
    ) STRICT, WITHOUT ROWID;

    -- Whose ids, notes and keys went: what the triggers let go of them is no tampering.
    CREATE TABLE erasures (
      customer INTEGER NOT NULL,
      transaction_number INTEGER NOT NULL,
      PRIMARY KEY (customer, transaction_number)
    ) STRICT, WITHOUT ROWID;

    \(appendOnly("effects"))
    \(appendOnly("erasures"))

    DROP TRIGGER keys_keep_deletes;
    CREATE TRIGGER keys_keep_deletes BEFORE DELETE ON keys
      WHEN NOT EXISTS (SELECT 1 FROM erasures WHERE customer = OLD.customer)
      BEGIN SELECT RAISE(ABORT, 'keys is append-only'); END;

    DROP TRIGGER orders_keep_terms;
    CREATE TRIGGER orders_keep_terms
      BEFORE UPDATE OF number, code, store, product, quantity, created_at, deadline ON orders
      BEGIN SELECT RAISE(ABORT, 'what an order announced never changes'); END;
    CREATE TRIGGER orders_keep_request BEFORE UPDATE OF request, key ON orders
      WHEN NEW.request <> '{}' OR NEW.key IS NOT NULL
        OR NOT EXISTS (SELECT 1 FROM erasures WHERE customer = OLD.customer)
      BEGIN SELECT RAISE(ABORT, 'what an order announced never changes'); END;
    """

  /// Each index by customer costs a hold a page of the file, so what one tells is not told by another.
  static let listEffects = """
    -- listed: whether the transaction is in transactions_without_entries under the effect's customer, and found there.
    ALTER TABLE effects ADD COLUMN listed INTEGER NOT NULL DEFAULT 0 CHECK (listed IN (0, 1));

    DROP INDEX effects_of_customers;
    CREATE INDEX effects_of_customers ON effects (customer, transaction_number, position)
      WHERE kind BETWEEN 3 AND 6 AND listed = 0;

    -- What a hold's own transaction says of it is found by that transaction.
    DROP INDEX effects_about;
    CREATE INDEX effects_about ON effects (target, transaction_number, position)
      WHERE target <> 0 AND target <> transaction_number;
    """

  /// What is found by customers lies together, and is written down in two steps: see ``NewlyListed``.
  static let listByCustomers = """
    -- list: 1 the customer's transactions without entries; 2 others whose effects on the customer say what is on
    -- hold or counted; 3 the customer's open holds, by the transactions that began them.
    CREATE TABLE listed_transactions (
      customer INTEGER NOT NULL,
      list INTEGER NOT NULL CHECK (list BETWEEN 1 AND 3),
      number INTEGER NOT NULL,
      PRIMARY KEY (customer, list, number)
    ) STRICT, WITHOUT ROWID;
    -- The same, for the newest; a row is in one of the two.
    CREATE TABLE newly_listed_transactions (
      customer INTEGER NOT NULL,
      list INTEGER NOT NULL CHECK (list BETWEEN 1 AND 3),
      number INTEGER NOT NULL,
      PRIMARY KEY (customer, list, number)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO listed_transactions
      SELECT customer, 1, number FROM transactions_without_entries
      UNION ALL
      SELECT DISTINCT customer, 2, transaction_number FROM effects
      WHERE kind BETWEEN 3 AND 6 AND (customer, transaction_number) NOT IN transactions_without_entries
      UNION ALL
      SELECT customer, 3, hold FROM holds
      ORDER BY 1, 2, 3;

    DROP TABLE transactions_without_entries;
    DROP INDEX holds_of_customers;
    DROP INDEX effects_of_customers;
    ALTER TABLE effects DROP COLUMN listed;
    """

  /// Most holds are of one lot and end with one command, which then need look neither their transactions nor their
  /// effects up.
  static let sayWhatHoldsHave = """
    -- Another name: a process of an earlier version that has the file open would leave what is said here as it was.
    ALTER TABLE holds RENAME TO open_holds;
    -- When it began, where it is with whom it began; NULL where its transaction says.
    ALTER TABLE open_holds ADD COLUMN begun_at INTEGER;
    -- What it still has, where that is of one lot; NULL where its effects say.
    ALTER TABLE open_holds ADD COLUMN currency INTEGER;
    ALTER TABLE open_holds ADD COLUMN lot INTEGER;
    ALTER TABLE open_holds ADD COLUMN amount INTEGER;
    """

  /// A hold that one commit moved to another customer and ended stayed listed with the first.
  ///
  /// Only a merged customer has such rows, so that nothing else is looked at.
  static let unlistMovedHolds = """
    DELETE FROM newly_listed_transactions
    WHERE list = 3 AND customer IN (SELECT from_customer FROM merges) AND NOT EXISTS (
      SELECT 1 FROM open_holds h
      WHERE h.hold = newly_listed_transactions.number AND h.customer = newly_listed_transactions.customer);
    DELETE FROM listed_transactions
    WHERE list = 3 AND customer IN (SELECT from_customer FROM merges) AND NOT EXISTS (
      SELECT 1 FROM open_holds h
      WHERE h.hold = listed_transactions.number AND h.customer = listed_transactions.customer);
    """
}
