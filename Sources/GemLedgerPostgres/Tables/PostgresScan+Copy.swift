#if PostgreSQL
internal import GemLedger

/// The reads that only a copy of a whole ledger needs.
extension PostgresScan: CopyReads {
  func notes(after: TransactionNumber, limit: Int) throws(LedgerError) -> [NoteRow] {
    try page(
      "notes",
      "SELECT \(NoteRow.columns) FROM notes WHERE transaction_number > $1 ORDER BY transaction_number",
      after: [.integer(after)], limit, NoteRow.read
    ) { [.integer($0.transaction)] }
  }

  func accountTokens(after: AccountTokenRow?, limit: Int) throws(LedgerError) -> [AccountTokenRow] {
    func position(_ row: AccountTokenRow) -> [CursorValue] { [.integer(row.token.high), .integer(row.token.low)] }
    // Nothing sorts before the lowest token, which a customer may have.
    let behind = after == nil ? "" : "WHERE (high, low) > ($1, $2)"
    return try page(
      "account_tokens", "SELECT high, low, customer FROM account_tokens \(behind) ORDER BY high, low",
      after: after.map(position) ?? [], limit,
      {
        AccountTokenRow(
          token: TokenNumber(high: $0.integer($1, 0), low: $0.integer($1, 1)), customer: $0.integer($1, 2))
      }, position: position)
  }

  func refundEvidence(after: RefundEvidenceRow?, limit: Int) throws(LedgerError) -> [RefundEvidenceRow] {
    func position(_ row: RefundEvidenceRow) -> [CursorValue] {
      [
        .text(row.identity.transactionID.text), .integer(row.identity.environment),
        .integer(row.identity.store.number), .integer(row.kind.rawValue), .integer(row.revokedAt.milliseconds),
      ]
    }
    // Nothing sorts before the empty text, which is no id.
    let start: [CursorValue] = [.text(""), .integer(-1), .integer(-1), .integer(-1), .integer(-1)]
    return try page(
      "refund_evidence",
      """
      SELECT \(RefundEvidenceRow.columns), store_transaction, environment, store FROM refund_evidence
      WHERE (store_transaction, environment, store, kind, revoked_at) > ($1, $2, $3, $4, $5)
      ORDER BY store_transaction, environment, store, kind, revoked_at
      """, after: after.map(position) ?? start, limit, RefundEvidenceRow.read, position: position)
  }

  func catalogVersions() throws(LedgerError) -> [CatalogVersionRow] {
    try session.all("SELECT version, applied_at FROM catalog_versions ORDER BY version") {
      CatalogVersionRow(version: $0.integer($1, 0), appliedAt: Timestamp(milliseconds: $0.integer($1, 1)))
    }
  }

  func copyProgress() throws(LedgerError) -> CopyProgress? {
    try session.all("SELECT step, pages, source FROM copy_progress") {
      CopyProgress(step: $0.integer($1, 0), pages: $0.integer($1, 1), source: $0.integer($1, 2))
    }.first
  }
}
#endif
