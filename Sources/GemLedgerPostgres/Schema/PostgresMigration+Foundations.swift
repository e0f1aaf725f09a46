#if PostgreSQL
internal import GemLedger

extension PostgresMigration {
  /// Tables about the ledger as a whole, and its customers.
  static var foundations: [String] {
    [
      table(ProjectRow.self, only: "project", more: ["is_distributed boolean NOT NULL DEFAULT false"]),
      table(CatalogRow.self),
      table(CatalogVersionRow.self),
      table(EnvironmentRow.self, more: ["UNIQUE (kind, session)"]),
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
      // The schema is no ledger until the row is gone.
      table(CopyProgress.self, only: "one"),
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
      // erased_by: the transaction that erased the customer's ids; 0 for none. A process that remembers an id of such a
      // customer looks the id up again.
      table(
        CustomerRow.self,
        instead: [
          "frozen": "frozen bigint NOT NULL DEFAULT 0", "merged_into": "merged_into bigint NOT NULL DEFAULT 0",
          "merged_count": "merged_count bigint NOT NULL DEFAULT 0",
        ],
        more: ["erased_by bigint NOT NULL DEFAULT 0"]),
      // Each id is in aliases too.
      table(AddedIDRow.self, named: "added_ids"),
      table(MergedCustomerRow.self),
    ]
  }
}
#endif
