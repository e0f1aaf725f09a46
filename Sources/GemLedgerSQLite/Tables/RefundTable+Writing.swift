internal import GemLedger

extension RefundTable {
  func write(_ changes: ColdChanges) throws(LedgerError) {
    let parts = changes.partsOfRefunds()
    try statements.run(
      "INSERT INTO refunds VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)", parts.rows
    ) {
      let (refund, part) = $1
      $0.bind(1, refund.transaction)
      $0.bind(2, refund.purchase)
      $0.bind(3, refund.kind.rawValue)
      $0.bind(4, refund.revokedAt.milliseconds)
      $0.bind(5, refund.signedAt.milliseconds)
      $0.bind(6, refund.share.part)
      $0.bind(7, refund.share.whole)
      $0.bind(8, refund.freezes)
      $0.bind(9, refund.evidenceAt == refund.signedAt ? nil : refund.evidenceAt.milliseconds)
      $0.bind(10, refund.extent?.stored.kind)
      $0.bind(11, refund.extent?.stored.amount)
      $0.bind(12, part?.lot)
      $0.bind(13, part?.kind.rawValue)
      $0.bind(14, part?.source)
      $0.bind(15, part?.amount)
    }
    try statements.run("INSERT INTO refund_parts VALUES (?1, ?2, ?3, ?4, ?5, ?6)", parts.others) {
      $0.bind(1, $1.transaction)
      $0.bind(2, $1.position)
      $0.bind(3, $1.lot)
      $0.bind(4, $1.kind.rawValue)
      $0.bind(5, $1.source)
      $0.bind(6, $1.amount)
    }
    try statements.run(
      """
      INSERT INTO refund_evidence VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT DO UPDATE SET signed_at = excluded.signed_at, extent_kind = excluded.extent_kind,
        extent = excluded.extent
      """, changes.refundEvidence
    ) {
      $0.bind(1, $1.identity.transactionID.text)
      $0.bind(2, $1.identity.environment)
      $0.bind(3, $1.identity.store.number)
      $0.bind(4, $1.kind.rawValue)
      $0.bind(5, $1.revokedAt.milliseconds)
      $0.bind(6, $1.signedAt.milliseconds)
      $0.bind(7, $1.extent.stored.kind)
      $0.bind(8, $1.extent.stored.amount)
    }
  }
}
