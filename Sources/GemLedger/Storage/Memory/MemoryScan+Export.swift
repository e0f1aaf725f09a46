extension MemoryScan: ExportReads {
  func notes(after: TransactionNumber, limit: Int) -> [NoteRow] {
    Self.page(of: notesInOrder, limit: limit) { $0.transaction > after }
  }

  func accountTokens(after: AccountTokenRow?, limit: Int) -> [AccountTokenRow] {
    Self.page(of: tokensInOrder, limit: limit) { row in after.map { Self.precedes($0, row) } ?? true }
  }

  func refundEvidence(after: RefundEvidenceRow?, limit: Int) -> [RefundEvidenceRow] {
    Self.page(of: evidenceInOrder, limit: limit) { row in after.map { Self.precedes($0, row) } ?? true }
  }

  func catalogVersions() -> [CatalogVersionRow] { tables.catalog.versions }

  static func precedes(_ one: AccountTokenRow, _ other: AccountTokenRow) -> Bool {
    (one.token.high, one.token.low) < (other.token.high, other.token.low)
  }

  static func precedes(_ one: RefundEvidenceRow, _ other: RefundEvidenceRow) -> Bool {
    let (left, right) = (one.identity, other.identity)
    if left.transactionID != right.transactionID { return left.transactionID < right.transactionID }
    return (left.environment, left.store.number, one.kind.rawValue, one.revokedAt)
      < (right.environment, right.store.number, other.kind.rawValue, other.revokedAt)
  }
}
