internal import GemLedger

/// What only a copy of a whole ledger reads and writes.
extension SQLiteTables: CopyReads {
  func notes(after: TransactionNumber, limit: Int) throws(LedgerError) -> [NoteRow] {
    try page(
      """
      SELECT transaction_number, reference, reason, actor FROM notes WHERE transaction_number > ?1
      ORDER BY transaction_number LIMIT ?2
      """, after: after, limit, Self.note)
  }

  func accountTokens(after: AccountTokenRow?, limit: Int) throws(LedgerError) -> [AccountTokenRow] {
    // Nothing sorts before the lowest token, which somebody may have.
    guard let after else {
      return try scanned(
        "SELECT high, low, customer FROM account_tokens ORDER BY high, low LIMIT ?1", after: nil, Self.precedes,
        { $0.bind(1, Int64(limit)) }, Self.accountToken)
    }
    return try scanned(
      "SELECT high, low, customer FROM account_tokens WHERE (high, low) > (?1, ?2) ORDER BY high, low LIMIT ?3",
      after: after, Self.precedes,
      {
        $0.bind(1, after.token.high)
        $0.bind(2, after.token.low)
        $0.bind(3, Int64(limit))
      }, Self.accountToken)
  }

  private static func precedes(_ one: AccountTokenRow, _ other: AccountTokenRow) -> Bool {
    (one.token.high, one.token.low) < (other.token.high, other.token.low)
  }

  private static func precedes(_ one: RefundEvidenceRow, _ other: RefundEvidenceRow) -> Bool {
    let (store, otherStore) = (one.identity.store.number, other.identity.store.number)
    guard one.identity.transactionID.text.utf8.elementsEqual(other.identity.transactionID.text.utf8) else {
      return precedes((one.identity.transactionID.text, 0), (other.identity.transactionID.text, 0))
    }
    return (one.identity.environment, store, one.kind.rawValue, one.revokedAt)
      < (other.identity.environment, otherStore, other.kind.rawValue, other.revokedAt)
  }

  private static func accountToken(_ row: SQLiteStatement) throws(SQLiteFailure) -> AccountTokenRow {
    AccountTokenRow(token: TokenNumber(high: row.integer(0), low: row.integer(1)), customer: try row.number(2))
  }

  func refundEvidence(after: RefundEvidenceRow?, limit: Int) throws(LedgerError) -> [RefundEvidenceRow] {
    try scanned(
      """
      SELECT kind, revoked_at, signed_at, extent_kind, extent, store_transaction, environment, store
      FROM refund_evidence
      WHERE (store_transaction, environment, store, kind, revoked_at) > (?1, ?2, ?3, ?4, ?5)
      ORDER BY store_transaction, environment, store, kind, revoked_at LIMIT ?6
      """, after: after, Self.precedes,
      {
        // Nothing sorts before the empty text, which is no id.
        $0.bind(1, after?.identity.transactionID.text ?? "")
        $0.bind(2, after?.identity.environment ?? -1)
        $0.bind(3, after?.identity.store.number ?? -1)
        $0.bind(4, after?.kind.rawValue ?? -1)
        $0.bind(5, after?.revokedAt.milliseconds ?? -1)
        $0.bind(6, Int64(limit))
      },
      { (row) throws(SQLiteFailure) in
        let identity = PurchaseIdentity(
          store: Store.numbered(row.integer(7)) ?? .test, environment: try row.number(6),
          transactionID: StoreTransactionID(unchecked: row.text(5)))
        return try Self.refundEvidence(identity, row)
      })
  }

  func catalogVersions() throws(LedgerError) -> [CatalogVersionRow] {
    try all("SELECT version, applied_at FROM catalog_versions ORDER BY version") { (row) throws(SQLiteFailure) in
      CatalogVersionRow(version: try row.number(0), appliedAt: try row.instant(1))
    }
  }

  func copyProgress() throws(LedgerError) -> CopyProgress? {
    try first("SELECT step, pages, source FROM copy_progress") { (row) throws(SQLiteFailure) in
      // The source of an import is no number of a row.
      CopyProgress(step: try row.number(0), pages: try row.number(1), source: row.integer(2))
    }
  }

  func journalCounts() throws(LedgerError) -> JournalCounts? {
    guard let copied = try copiedJournal() else { return nil }
    let last = try sequences()
    return JournalCounts(
      transactions: copied.counts.transactions + max(0, last.transaction - copied.lastTransaction),
      entries: copied.counts.entries + max(0, last.entry - copied.lastEntry), isSparse: false)
  }

  func loadCopiedJournal() throws(LedgerError) -> CopiedJournal? {
    try first("SELECT last_transaction, transactions, last_entry, entries, created_at FROM copied_journal") {
      (row) throws(SQLiteFailure) in
      let counts = JournalCounts(transactions: try row.number(1), entries: try row.number(3), isSparse: false)
      return CopiedJournal(
        lastTransaction: try row.transaction(0), lastEntry: try row.entry(2), counts: counts,
        createdAt: try row.instant(4))
    }
  }

  // MARK: Writing

  private func setReplacingIsFree(_ isFree: Bool) throws(LedgerError) {
    try translating { () throws(SQLiteFailure) in
      try connection.execute("PRAGMA recursive_triggers = \(isFree ? "OFF" : "ON")")
    }
  }

  private func setReplacingIsHeldOff() {
    // The setting is the connection's own and touches no file, so that there is nothing to fail.
    try? setReplacingIsFree(false)
  }

  func write(_ copy: CopyChanges) throws(LedgerError) {
    try run("INSERT INTO catalog_versions VALUES (?1, ?2)", copy.catalogVersions) {
      $0.bind(1, $1.version)
      $0.bind(2, $1.appliedAt.milliseconds)
    }
    if let journal = copy.journal {
      // An import of what came later has further gaps: the only time that the row changes. Without this setting a row
      // that is put in another's place wakes no trigger.
      try setReplacingIsFree(true)
      defer { setReplacingIsHeldOff() }
      try run("INSERT OR REPLACE INTO copied_journal VALUES (1, ?1, ?2, ?3, ?4, ?5)", [journal]) {
        $0.bind(1, $1.lastTransaction)
        $0.bind(2, $1.counts.transactions)
        $0.bind(3, $1.lastEntry)
        $0.bind(4, $1.counts.entries)
        $0.bind(5, $1.createdAt.milliseconds)
      }
      forgetCopiedJournal()
    }
    guard let progress = copy.progress else {
      try run("DELETE FROM copy_progress", [0]) { _, _ in }
      return
    }
    try run("INSERT OR REPLACE INTO copy_progress VALUES (1, ?1, ?2, ?3)", [progress]) {
      $0.bind(1, $1.step)
      $0.bind(2, $1.pages)
      $0.bind(3, $1.source)
    }
  }
}
