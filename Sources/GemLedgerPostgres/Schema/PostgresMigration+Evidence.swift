#if PostgreSQL
internal import GemLedger

extension PostgresMigration {
  /// All evidence of stores, replacing the refund notices.
  ///
  /// Earlier purchases are evidence too: each was stated once as bought, at its date.
  static var evidence: [String] {
    [
      table(EvidenceRow.self),
      "CREATE INDEX evidence_due ON evidence (reason, due_at, variant) WHERE reason IS NOT NULL",
      "CREATE INDEX evidence_holders ON evidence (holder) WHERE holder IS NOT NULL",
      "CREATE INDEX evidence_subjects ON evidence (subject) WHERE subject IS NOT NULL",
      """
      INSERT INTO evidence (store_transaction, environment, store, kind, revoked_at, variant, first_signed_at,
        signed_at, extent_kind, extent, content)
      SELECT store_transaction, environment, store, kind, revoked_at, 0, signed_at, signed_at, extent_kind, extent, ''
      FROM refund_evidence
      """,
      """
      INSERT INTO evidence (store_transaction, environment, store, kind, revoked_at, variant, first_signed_at,
        signed_at, extent_kind, extent, content)
      SELECT store_transaction, environment, store, 7, 0, 0, purchased_at, purchased_at, 1, 0, '' FROM purchases
      """,
      "DROP TABLE refund_evidence", "UPDATE lanes SET layout = layout + 1",
    ]
  }
}
#endif
