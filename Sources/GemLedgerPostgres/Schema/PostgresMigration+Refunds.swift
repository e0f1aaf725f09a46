#if PostgreSQL
  extension PostgresMigration {
    /// Most refunds take one lot's currency for one notice; each table that says so costs them a row and an index's.
    static let refundsInOneRow = [
      // evidence_at: when the newest notice by then was signed, where that is not signed_at.
      // extent_kind, extent: what the notice says is given back; null where it lies in refund_evidence, which now keeps
      // what no refund was booked for, or where it was no notice of the store's.
      // lot and what follows: the only part, as in refund_parts; null where the parts lie there.
      """
      ALTER TABLE refunds
        ADD COLUMN evidence_at bigint,
        ADD COLUMN extent_kind smallint,
        ADD COLUMN extent bigint,
        ADD COLUMN lot bigint,
        ADD COLUMN part_kind smallint,
        ADD COLUMN source_lot bigint,
        ADD COLUMN amount bigint
      """,
      // What the purchase gave, where that was one lot's currency and nothing else; null where its transaction says.
      """
      ALTER TABLE purchases
        ADD COLUMN grant_currency smallint, ADD COLUMN grant_lot bigint, ADD COLUMN grant_amount bigint
      """,
      // The newest refund of a purchase says how much of it is clawed back.
      "DROP TABLE refund_states",
    ]
  }
#endif
