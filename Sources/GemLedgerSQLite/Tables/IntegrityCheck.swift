internal import CSQLite
internal import GemLedger
internal import Synchronization

/// SQLite's findings about the file, and rows that no reader would see.
struct IntegrityCheck {
  let statements: StatementRunner

  /// Starts SQLite's check in parallel with the replay, on a separate connection; it takes half as long as a replay.
  ///
  /// If the check finds damaged pages, it stops the statements of this connection: statements over such pages may never
  /// end. The returned function then throws `storage_damaged` with the findings.
  func begin() throws(LedgerError) -> () throws(LedgerError) -> [String] {
    let path = statements.path
    let stop = ReadCancellation()
    statements.connection.obey(stop)
    let check = BackgroundTask { () throws(LedgerError) in
      let findings = try Self.findings(path: path)
      if !findings.pages.isEmpty { stop.isUp.store(true, ordering: .relaxed) }
      return findings
    }
    return { () throws(LedgerError) in
      defer { statements.connection.obey(nil) }
      let findings = try check.wait()
      guard findings.pages.isEmpty else { throw Self.damaged(path, findings.pages) }
      return try findings.rows + rowProblems()
    }
  }

  private struct Findings: Sendable {
    /// The problems of pages: rows read from them are meaningless.
    var pages: [String] = []
    /// The problems of rows and indexes on intact pages.
    var rows: [String] = []
  }

  private static func findings(path: String) throws(LedgerError) -> Findings {
    let failedBefore = SQLiteVFS.failedReadCount.load(ordering: .sequentiallyConsistent)
    let connection = try SQLiteConnection.open(SQLiteFile(path: path))
    do throws(SQLiteFailure) {
      try connection.execute(SQL.settings)
      let statement = try connection.prepare("PRAGMA integrity_check(20)")
      var findings = Findings()
      while try statement.step() {
        let text = statement.text(0)
        if text == "ok" { continue }
        guard text.hasPrefix(pagesPrefix) else {
          findings.rows.append(text)
          continue
        }
        // SQLite reports all pages before the first row, and rows on damaged pages may never end.
        findings.pages = text.split(separator: "\n").dropFirst().map(String.init)
        if findings.pages.isEmpty { findings.pages = [text] }
        break
      }
      statement.reset()
      // An unreadable page is not damage, but SQLite's check reports both with the same words.
      guard SQLiteVFS.failedReadCount.load(ordering: .sequentiallyConsistent) == failedBefore else {
        throw SQLiteFailure(extendedCode: SQLITE_IOERR, message: findings.pages.first ?? "a page could not be read")
      }
      return findings
    } catch {
      throw error.ledgerError(path: path)
    }
  }

  /// The prefix of SQLite's messages about pages.
  private static let pagesPrefix = "*** in database"

  private static func damaged(_ path: String, _ findings: [String]) -> LedgerError {
    var details: [LedgerError.Detail] = [.text("file", path)]
    for (position, finding) in findings.prefix(20).enumerated() {
      details.append(.text("findings[\(position)]", finding))
    }
    return LedgerError(
      .storageDamaged,
      "\(path) is damaged: SQLite's integrity check finds \(findings.prefix(3).joined(separator: "; ")). Its rows "
        + "were not used. Restore it from a backup.", details: details)
  }

  /// The problems of rows that no reader would see.
  ///
  /// These are rows without a referring row, and transactions and holds missing from the lists that readers use.
  func rowProblems() throws(LedgerError) -> [String] {
    var problems: [String] = []
    let unread = UnreadRows.queries(
      splitsAccounts: Migration.splitsAccounts,
      tables: ["transactions": ["transaction_rows", "plain_transactions"], "entries": ["entry_rows"]])
    for query in unread + [Self.ownTables] {
      problems += try statements.translating { () throws(SQLiteFailure) in
        let statement = try statements.connection.prepare(query)
        var found: [String] = []
        while try statement.step() { found.append(statement.text(0)) }
        return found
      }
    }
    return try problems + listProblems()
  }

  /// Finds orphaned rows in tables that only this storage has.
  private static let ownTables = """
    SELECT 'the id "' || id || '" is added to customer number ' || customer || ', whom it does not name'
    FROM added_ids i
    WHERE NOT EXISTS (SELECT 1 FROM aliases a WHERE a.id = i.id AND a.customer = i.customer)
    UNION ALL
    SELECT 'the buffer of accounts has account ' || account || ', which is missing' FROM accounts_buffer b
    WHERE NOT EXISTS (SELECT 1 FROM account_rows a WHERE a.account = b.account)
    UNION ALL
    SELECT 'the run of entries from transaction ' || transaction_number || ' begins without one' FROM entry_runs r
    WHERE NOT EXISTS (SELECT 1 FROM plain_transactions p WHERE p.number = r.transaction_number)
    UNION ALL
    SELECT 'the frozen product ' || frozen_product || ' is of no purchase' FROM frozen_products f
    WHERE NOT EXISTS (SELECT 1 FROM purchases p WHERE p.frozen_product = f.frozen_product)
    UNION ALL
    SELECT 'an entitlement names purchase ' || purchase || ', which is missing' FROM entitlements e
    WHERE NOT EXISTS (SELECT 1 FROM purchases p WHERE p.purchase = e.purchase)
    UNION ALL
    SELECT 'the erasure of customer number ' || customer || ' names transaction ' || transaction_number
      || ', which is missing or erased another'
    FROM erasures e
    WHERE NOT EXISTS (SELECT 1 FROM transaction_rows t WHERE t.number = e.transaction_number)
        AND NOT EXISTS (SELECT 1 FROM plain_transactions t WHERE t.number = e.transaction_number)
      OR NOT EXISTS (
        SELECT 1 FROM customers c WHERE c.customer = e.customer AND (c.id IS NULL OR c.id LIKE '$erased:%'))
    """

  private func listProblems() throws(LedgerError) -> [String] {
    try statements.all(
      """
      WITH listed AS NOT MATERIALIZED (
        SELECT * FROM customer_lists UNION ALL SELECT * FROM customer_lists_buffer)
      SELECT 'an effect of transaction ' || transaction_number || ' is not found by its customer' FROM journal_events e
      WHERE kind BETWEEN 3 AND 6 AND NOT EXISTS (
        SELECT 1 FROM listed t
        WHERE t.customer = e.customer AND t.list IN (1, 2) AND t.number = e.transaction_number)
      UNION ALL
      SELECT 'the hold ' || hold || ' is not found by its customer' FROM open_holds h
      WHERE NOT EXISTS (SELECT 1 FROM listed t WHERE t.customer = h.customer AND t.list = 3 AND t.number = h.hold)
      UNION ALL
      SELECT 'the hold ' || hold || ' says half of what it has' FROM open_holds
      WHERE (currency IS NULL) <> (lot IS NULL) OR (lot IS NULL) <> (amount IS NULL)
      UNION ALL
      SELECT 'transaction ' || number || ' is in list ' || list || ' of customer number ' || customer || ' for nothing'
      FROM listed t
      WHERE list = 1 AND NOT EXISTS (
          SELECT 1 FROM transaction_rows x WHERE x.number = t.number AND x.customer = t.customer AND NOT EXISTS (
            SELECT 1 FROM entry_rows e WHERE e.number = x.first_entry AND e.transaction_number = x.number))
        OR list = 2 AND (
          NOT EXISTS (
            SELECT 1 FROM journal_events e
            WHERE e.transaction_number = t.number AND e.customer = t.customer AND e.kind BETWEEN 3 AND 6)
          OR EXISTS (SELECT 1 FROM listed o WHERE o.customer = t.customer AND o.list = 1 AND o.number = t.number))
        OR list = 3 AND NOT EXISTS (SELECT 1 FROM open_holds h WHERE h.hold = t.number AND h.customer = t.customer)
      UNION ALL
      SELECT 'transaction ' || number || ' is twice in list ' || list || ' of customer number ' || customer
      FROM customer_lists_buffer WHERE (customer, list, number) IN customer_lists
      UNION ALL
      SELECT 'a count of customer number ' || customer || ' is of kind ' || kind FROM counters
      WHERE kind NOT BETWEEN 1 AND ?1
      """, { $0.bind(1, Int64(CountKey.Kind.allCases.count)) }, { $0.text(0) })
  }
}
