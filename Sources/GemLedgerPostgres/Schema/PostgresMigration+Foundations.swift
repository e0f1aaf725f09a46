#if PostgreSQL
extension PostgresMigration {
  /// Tables about the ledger as a whole, and its customers.
  static let foundations = [
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
    // A row a lane, which its writer locks.
    // customer: a number below 0 that lies on the shard of the lane's customers.
    // layout: how often the customers were spread anew. last: the highest number drawn in any sequence.
    // transactions, entries: the counts of the lane's rows, so that missing rows are noticed.
    // sums: the sums of the digests of all rows that the lane's groups wrote, which wrap around; `verify` reports
    // NULL.
    """
    CREATE TABLE lanes (
      customer bigint PRIMARY KEY,
      lane smallint NOT NULL,
      layout bigint NOT NULL,
      last bigint NOT NULL,
      created_at bigint NOT NULL,
      transactions bigint NOT NULL,
      entries bigint NOT NULL,
      catalog_version bigint NOT NULL,
      sums bigint[]
    ) WITH (fillfactor = 20)
    """,
    // A row while a copy of another storage's ledger is under way: the schema is no ledger until the row is gone.
    // source: the newest transaction of the copied ledger.
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
    CREATE TABLE commit_tokens (
      customer bigint NOT NULL,
      writer bytea NOT NULL,
      token bigint NOT NULL,
      committed_at bigint NOT NULL,
      PRIMARY KEY (customer, writer)
    ) WITH (fillfactor = 20)
    """,
    // frozen: 0 for a customer that may spend; 1 for a freeze by an operator, and 2 for each refund that froze.
    // merged_into: the surviving customer, 0 for none; merged_count: how many customers were merged into this one.
    // erased_by: the transaction that erased the customer's ids; 0 for none. A process that remembers an id of such a
    // customer looks the id up again.
    """
    CREATE TABLE customers (
      customer bigint PRIMARY KEY,
      id text COLLATE "C" NOT NULL,
      created_at bigint NOT NULL,
      frozen bigint NOT NULL DEFAULT 0,
      frozen_reason text,
      merged_into bigint NOT NULL DEFAULT 0,
      merged_count bigint NOT NULL DEFAULT 0,
      erased_by bigint NOT NULL DEFAULT 0
    )
    """,
    // The ids of a customer beside the first one; each is in aliases too.
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
}
#endif
