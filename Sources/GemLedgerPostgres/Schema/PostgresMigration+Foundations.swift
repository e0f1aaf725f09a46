#if PostgreSQL
internal import GemLedger

extension PostgresMigration {
  /// Tables of the whole ledger and of its customers.
  static var foundations: [String] {
    [
      table(ProjectRow.self, only: "project", more: ["is_distributed boolean NOT NULL DEFAULT false"]),
      table(CatalogRow.self),
      table(CatalogVersionRow.self),
      table(EnvironmentRow.self, more: ["UNIQUE (kind, session)"]),
      // One row per lane, which its writer locks.
      // customer: a number below 0 on the shard of the lane's customers.
      // layout: the number of redistributions of customers. last: the highest number assigned in any sequence.
      // transactions, entries: the counts of the lane's rows, for detecting missing rows.
      // sums: the sums of the digests of all rows that the lane's groups wrote; they wrap around, and `verify` reports
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
      // The schema is not a ledger while the row exists.
      table(CopyProgress.self, only: "one"),
      // The last group that each writer committed in a lane, for looking up the outcome after a lost response.
      """
      CREATE TABLE commit_tokens (
        customer bigint NOT NULL,
        writer bytea NOT NULL,
        token bigint NOT NULL,
        committed_at bigint NOT NULL,
        PRIMARY KEY (customer, writer)
      ) WITH (fillfactor = 20)
      """,
      // erased_by: the transaction that erased the customer's ids; 0 for none. A process with a cached id of such a
      // customer looks the id up again.
      table(
        CustomerRow.self,
        instead: [
          "frozen": "frozen bigint NOT NULL DEFAULT 0", "merged_into": "merged_into bigint NOT NULL DEFAULT 0",
          "merged_count": "merged_count bigint NOT NULL DEFAULT 0",
        ],
        more: ["erased_by bigint NOT NULL DEFAULT 0"]),
      // Each id is also in the table aliases.
      table(AddedIDRow.self, named: "added_ids"),
      table(MergedCustomerRow.self),
    ]
  }
}
#endif
