#if PostgreSQL
  // Every table of a customer's rows is keyed by the customer's own number first, so that the schema can be spread over
  // machines by customer; nothing is unique across customers but in the small tables of identities at the end.
  //
  // customer: the number of whom the row was written for; merges do not change it.
  // currency: the currency's number. expires_at, next_expiry: milliseconds; 9223372036854775807 for never.

  extension PostgresMigration {
    static let tables = project + customers + journal + purchases + projections + identities

    private static let project = [
      """
      CREATE TABLE project (
        project smallint PRIMARY KEY CHECK (project = 1),
        salt bigint NOT NULL,
        created_at bigint NOT NULL,
        is_distributed boolean NOT NULL DEFAULT false
      )
      """,
      // The catalog: a JSON document an object. A currency's position is its number and never changes.
      """
      CREATE TABLE catalog (
        kind smallint NOT NULL,
        code text COLLATE "C" NOT NULL,
        position bigint NOT NULL,
        document text NOT NULL,
        PRIMARY KEY (kind, code)
      )
      """,
      "CREATE TABLE catalog_versions (version bigint PRIMARY KEY, applied_at bigint NOT NULL)",
      """
      CREATE TABLE environments (
        environment bigint PRIMARY KEY,
        kind smallint NOT NULL,
        session text COLLATE "C",
        UNIQUE (kind, session)
      )
      """,
      // Where each lane's numbers stand; who writes in a lane holds its row. customer: a number that lies where the
      // lane's customers do. transactions, entries: how many there are, so that missing ones are noticed.
      """
      CREATE TABLE lanes (
        customer bigint PRIMARY KEY,
        lane smallint NOT NULL,
        layout bigint NOT NULL,
        last bigint NOT NULL,
        created_at bigint NOT NULL,
        transactions bigint NOT NULL,
        entries bigint NOT NULL,
        catalog_version bigint NOT NULL
      ) WITH (fillfactor = 20)
      """,
      // A row while a copy of another storage's ledger is under way: the schema is no ledger until it is gone.
      // source: the newest transaction of what is copied.
      """
      CREATE TABLE copy_progress (
        one smallint PRIMARY KEY CHECK (one = 1),
        step bigint NOT NULL,
        pages bigint NOT NULL,
        source bigint NOT NULL
      )
      """,
      // The last group that each writer committed in a lane, so that a lost answer can be looked up.
      """
      CREATE TABLE commit_marks (
        customer bigint NOT NULL,
        writer bytea NOT NULL,
        mark bigint NOT NULL,
        marked_at bigint NOT NULL,
        PRIMARY KEY (customer, writer)
      ) WITH (fillfactor = 20)
      """,
    ]

    private static let customers = [
      // frozen: 0 for a customer who may spend; 1 for one frozen by a person, and 2 for each refund that froze them.
      // merged_into: whom the customer became part of, 0 for nobody; merged: how many became part of the customer.
      """
      CREATE TABLE customers (
        customer bigint PRIMARY KEY,
        id text COLLATE "C" NOT NULL,
        created_at bigint NOT NULL,
        frozen bigint NOT NULL DEFAULT 0,
        frozen_reason text,
        merged_into bigint NOT NULL DEFAULT 0,
        merged bigint NOT NULL DEFAULT 0
      )
      """,
      // The ids of a customer beside the one that the customer came with; each is in aliases too.
      """
      CREATE TABLE added_ids (
        customer bigint NOT NULL,
        id text COLLATE "C" NOT NULL,
        PRIMARY KEY (customer, id)
      )
      """,
      """
      CREATE TABLE merged_customers (
        customer bigint NOT NULL,
        merged bigint NOT NULL,
        PRIMARY KEY (customer, merged)
      )
      """,
    ]

    private static let journal = [
      // An entry's number is its transaction's, shifted by twelve bits, with its place among its entries.
      """
      CREATE TABLE transactions (
        customer bigint NOT NULL,
        number bigint NOT NULL,
        kind smallint NOT NULL,
        has_entries boolean NOT NULL,
        created_at bigint NOT NULL,
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
      // position: the place in the order of burning, which an answer that is given again needs.
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
      // A key that is written like a UUID is kept as a zero byte and its sixteen bytes, any other as its text.
      """
      CREATE TABLE keys (
        customer bigint NOT NULL,
        key bytea NOT NULL,
        asked bigint NOT NULL,
        qualifiers bigint NOT NULL,
        transaction_number bigint,
        refusal text,
        PRIMARY KEY (customer, key)
      )
      """,
      // What people wrote lies beside the journal and can be erased.
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
      // What a lot is apart from its amounts, as it was when the lot was made; a lot that moved to another customer has
      // a row with each.
      """
      CREATE TABLE lot_terms (
        customer bigint NOT NULL,
        lot bigint NOT NULL,
        source smallint NOT NULL,
        environment bigint NOT NULL,
        price bigint,
        price_currency text,
        purchase bigint,
        expires_at bigint NOT NULL,
        PRIMARY KEY (customer, lot)
      )
      """,
      """
      CREATE TABLE merges (
        customer bigint NOT NULL,
        transaction_number bigint NOT NULL,
        from_customer bigint NOT NULL,
        PRIMARY KEY (customer, transaction_number)
      )
      """,
    ]

    private static let purchases = [
      // terms: made from the document, so that equal documents need no look-up.
      "CREATE TABLE purchase_terms (terms bigint PRIMARY KEY, document text NOT NULL)",
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
        terms bigint NOT NULL,
        original_transaction text COLLATE "C",
        expires_at bigint,
        PRIMARY KEY (customer, purchase)
      )
      """,
      "CREATE INDEX purchases_by_number ON purchases (purchase)",
      // The customer of a refund's rows is whom the purchase was credited to.
      // share, share_of: how much of the whole purchase is clawed back from here on.
      // kind, revoked_at, signed_at: the notice that made it. freezes: 1 where it froze the customer, -1 where it lifted.
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
      // A projection: the newest refund of each purchase that has any.
      """
      CREATE TABLE refund_states (
        customer bigint NOT NULL,
        purchase bigint NOT NULL,
        share bigint NOT NULL,
        share_of bigint NOT NULL,
        evidence_at bigint NOT NULL,
        transaction_number bigint NOT NULL,
        PRIMARY KEY (customer, purchase)
      )
      """,
    ]

    private static let projections = [
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
      // A stepping stone every 64 entries of an account.
      """
      CREATE TABLE anchors (
        customer bigint NOT NULL,
        currency smallint NOT NULL,
        version bigint NOT NULL,
        entry bigint NOT NULL,
        transaction_number bigint NOT NULL,
        created_at bigint NOT NULL,
        PRIMARY KEY (customer, currency, version)
      )
      """,
      // Purchases announced before payment. What was announced never changes, how far it came does.
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
      // Whose entitlements a customer has; the customer is the holder.
      """
      CREATE TABLE entitlements (
        customer bigint NOT NULL,
        purchase bigint NOT NULL,
        PRIMARY KEY (customer, purchase)
      )
      """,
    ]

    // What is unique across customers, each keyed by itself. Who is to find or to claim one locks its row.
    private static let identities = [
      "CREATE TABLE aliases (id text COLLATE \"C\" PRIMARY KEY, customer bigint NOT NULL)",
      // customer, purchase: 0 while the store transaction is not credited.
      """
      CREATE TABLE store_transactions (
        store_transaction text COLLATE "C" NOT NULL,
        environment bigint NOT NULL,
        store smallint NOT NULL,
        customer bigint NOT NULL,
        purchase bigint NOT NULL,
        PRIMARY KEY (store_transaction, environment, store)
      )
      """,
      // What the store said last of each refund, of purchases that are still to come too.
      """
      CREATE TABLE refund_evidence (
        store_transaction text COLLATE "C" NOT NULL,
        environment bigint NOT NULL,
        store smallint NOT NULL,
        kind smallint NOT NULL,
        revoked_at bigint NOT NULL,
        signed_at bigint NOT NULL,
        extent_kind smallint NOT NULL,
        extent bigint NOT NULL,
        PRIMARY KEY (store_transaction, environment, store, kind, revoked_at)
      )
      """,
      """
      CREATE TABLE purchase_codes (
        code text COLLATE "C" PRIMARY KEY,
        customer bigint NOT NULL,
        number bigint NOT NULL
      )
      """,
      // The two halves of the UUID that travels with a purchase and says who bought.
      """
      CREATE TABLE account_tokens (
        high bigint NOT NULL,
        low bigint NOT NULL,
        customer bigint NOT NULL,
        PRIMARY KEY (high, low)
      )
      """,
      "CREATE TABLE entitlement_holders (purchase bigint PRIMARY KEY, holder bigint NOT NULL)",
      """
      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$
      """,
    ]
  }
#endif
