internal import GemLedger

/// Effects, holds and counts in the file.
extension SQLiteTables {
  // MARK: Reading

  func effects(of transaction: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> [EffectRow] {
    try all(
      "SELECT * FROM journal_events WHERE transaction_number = ?1 ORDER BY position", { $0.bind(1, transaction) },
      Self.effect)
  }

  func effects(about target: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> [EffectRow] {
    // What a transaction says of itself comes before what others say of it, and is not in their index.
    let own = try all(
      "SELECT * FROM journal_events WHERE transaction_number = ?1 AND target = ?1 ORDER BY position",
      { $0.bind(1, target) }, Self.effect)
    return try own
      + all(
        """
        SELECT * FROM journal_events WHERE target = ?1 AND target <> 0 AND target <> transaction_number
        ORDER BY transaction_number, position
        """, { $0.bind(1, target) }, Self.effect)
  }

  func effects(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [EffectRow] {
    let found = try all(
      """
      SELECT * FROM (
        SELECT e.* FROM customer_lists t CROSS JOIN journal_events e ON e.transaction_number = t.number
        WHERE t.customer = ?1 AND t.list = 1 AND t.number < ?2 AND e.customer = ?1 AND e.kind BETWEEN 3 AND 6
        ORDER BY t.number DESC, e.position DESC LIMIT ?3)
      UNION ALL
      SELECT * FROM (
        SELECT e.* FROM customer_lists t CROSS JOIN journal_events e ON e.transaction_number = t.number
        WHERE t.customer = ?1 AND t.list = 2 AND t.number < ?2 AND e.customer = ?1 AND e.kind BETWEEN 3 AND 6
        ORDER BY t.number DESC, e.position DESC LIMIT ?3)
      UNION ALL
      SELECT * FROM (
        SELECT e.* FROM customer_lists_buffer t CROSS JOIN journal_events e ON e.transaction_number = t.number
        WHERE t.customer = ?1 AND t.list = 1 AND t.number < ?2 AND e.customer = ?1 AND e.kind BETWEEN 3 AND 6
        ORDER BY t.number DESC, e.position DESC LIMIT ?3)
      UNION ALL
      SELECT * FROM (
        SELECT e.* FROM customer_lists_buffer t CROSS JOIN journal_events e ON e.transaction_number = t.number
        WHERE t.customer = ?1 AND t.list = 2 AND t.number < ?2 AND e.customer = ?1 AND e.kind BETWEEN 3 AND 6
        ORDER BY t.number DESC, e.position DESC LIMIT ?3)
      ORDER BY transaction_number DESC, position DESC LIMIT ?3
      """,
      {
        $0.bind(1, customer)
        $0.bind(2, below)
        $0.bind(3, Int64(limit))
      }, Self.effect)
    guard found.count >= limit, let last = found.last else { return found }
    // The last transaction is given whole.
    return try found
      + all(
        """
        SELECT * FROM journal_events
        WHERE transaction_number = ?2 AND position < ?3 AND customer = ?1 AND kind BETWEEN 3 AND 6
        ORDER BY position DESC
        """,
        {
          $0.bind(1, customer)
          $0.bind(2, last.transaction)
          $0.bind(3, last.position)
        }, Self.effect)
  }

  func hold(_ number: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> HoldRow? {
    try first("SELECT * FROM open_holds WHERE hold = ?1", { $0.bind(1, number) }, Self.hold)
  }

  func count(_ key: CountKey, of customer: CustomerNumber) throws(LedgerError) -> CountRow? {
    try first(
      "SELECT * FROM counters WHERE customer = ?1 AND kind = ?2 AND subject = ?3",
      {
        $0.bind(1, customer)
        $0.bind(2, key.kind.rawValue)
        $0.bind(3, key.subject)
      }, Self.count)
  }

  func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] {
    try all(
      "SELECT * FROM counters WHERE customer = ?1 ORDER BY kind, subject", { $0.bind(1, customer) }, Self.count)
  }

  // MARK: Scanning

  func effects(after: EffectRow?, limit: Int) throws(LedgerError) -> [EffectRow] {
    try scanned(
      """
      SELECT * FROM journal_events WHERE (transaction_number, position) > (?1, ?2)
      ORDER BY transaction_number, position LIMIT ?3
      """, after: after, { ($0.transaction, $0.position) < ($1.transaction, $1.position) },
      {
        $0.bind(1, after?.transaction ?? .min)
        $0.bind(2, after?.position ?? .min)
        $0.bind(3, Int64(limit))
      }, Self.effect)
  }

  func holds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [HoldRow] {
    try page(
      "SELECT * FROM open_holds WHERE hold > ?1 ORDER BY hold LIMIT ?2", after: after, limit,
      Self.hold)
  }

  func counts(after: CountRow?, limit: Int) throws(LedgerError) -> [CountRow] {
    // The place behind a kind that nobody knows cannot be named; the integrity check reports those.
    try scanned(
      """
      SELECT * FROM counters WHERE (customer, kind, subject) > (?1, ?2, ?3) AND kind BETWEEN 1 AND ?5
      ORDER BY customer, kind, subject LIMIT ?4
      """, after: after, { $0.customer != $1.customer ? $0.customer < $1.customer : $0.key < $1.key },
      {
        $0.bind(1, after?.customer ?? .min)
        $0.bind(2, after?.key.kind.rawValue ?? .min)
        $0.bind(3, after?.key.subject ?? "")
        $0.bind(4, Int64(limit))
        $0.bind(5, Int64(CountKey.Kind.allCases.count))
      }, Self.count)
  }

  /// What is wrong with rows that no reader would see: kinds that nobody knows, and transactions and holds that are not
  /// where they are looked for.
  func rowProblems() throws(LedgerError) -> [String] {
    try all(
      """
      WITH listed AS NOT MATERIALIZED (
        SELECT * FROM customer_lists UNION ALL SELECT * FROM customer_lists_buffer)
      SELECT 'an effect of transaction ' || transaction_number || ' is of kind ' || kind FROM journal_events
      WHERE kind NOT BETWEEN 1 AND ?1
      UNION ALL
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
      WHERE list = 2 AND (
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
      WHERE kind NOT BETWEEN 1 AND ?2
      """,
      {
        $0.bind(1, Int64(EffectRow.Kind.allCases.count))
        $0.bind(2, Int64(CountKey.Kind.allCases.count))
      }, { $0.text(0) })
  }

  // MARK: Rows

  private static func effect(_ row: SQLiteStatement) throws(SQLiteFailure) -> EffectRow {
    var count: CountKey?
    if let kind = CountKey.Kind(rawValue: row.integer(9)) { count = CountKey(kind, row.text(10)) }
    return EffectRow(
      transaction: try row.transaction(0), position: try row.number(1), customer: try row.number(2),
      kind: EffectRow.Kind(rawValue: row.integer(3)) ?? .late, target: try row.transaction(4),
      currency: try row.currency(5), lot: try row.number(6), amount: try row.amount(7), value: try row.value(8),
      count: count, period: try row.value(11), createdAt: try row.instant(12), heldAfter: try row.amount(13))
  }

  static func hold(_ row: SQLiteStatement) throws(SQLiteFailure) -> HoldRow {
    var hold = HoldRow(
      number: try row.transaction(0), customer: try row.number(1), deadline: try row.instant(2),
      begunAt: try row.optionalInstant(3))
    if try row.optionalNumber(4) != nil {
      hold.sole = LotAmount(currency: try row.currency(4), lot: try row.number(5), amount: try row.amount(6))
    }
    return hold
  }

  private static func count(_ row: SQLiteStatement) throws(SQLiteFailure) -> CountRow {
    CountRow(
      customer: try row.number(0), key: CountKey(CountKey.Kind(rawValue: row.integer(1)) ?? .bought, row.text(2)),
      period: try row.value(3), value: try row.value(4))
  }
}

// MARK: Writing

extension SQLiteTables {
  func write(effects changes: RareChanges, listed: [TransactionNumber: CustomerNumber]) throws(LedgerError) {
    try run(
      "INSERT INTO journal_events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)", changes.effects
    ) {
      $0.bind(1, $1.transaction)
      $0.bind(2, $1.position)
      $0.bind(3, $1.customer)
      $0.bind(4, $1.kind.rawValue)
      $0.bind(5, $1.target)
      $0.bind(6, $1.currency)
      $0.bind(7, $1.lot)
      $0.bind(8, $1.amount)
      $0.bind(9, $1.value)
      $0.bind(10, $1.count?.kind.rawValue)
      $0.bind(11, $1.count?.subject)
      $0.bind(12, $1.period)
      $0.bind(13, $1.createdAt.milliseconds)
      $0.bind(14, $1.heldAfter)
    }
    try list(changes.holds, new: listed)
    try run(
      """
      INSERT INTO open_holds VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (hold) DO UPDATE SET customer = excluded.customer, deadline = excluded.deadline,
        begun_at = excluded.begun_at, currency = excluded.currency, lot = excluded.lot, amount = excluded.amount
      """, changes.holds
    ) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.customer)
      $0.bind(3, $1.deadline.milliseconds)
      $0.bind(4, $1.begunAt?.milliseconds)
      $0.bind(5, $1.sole?.currency)
      $0.bind(6, $1.sole?.lot)
      $0.bind(7, $1.sole?.amount)
    }
    for hold in changes.endedHolds {
      // A group that merged customers may end a hold that is still listed with its former owner.
      let owner = try first(
        "DELETE FROM open_holds WHERE hold = ?1 RETURNING customer", { $0.bind(1, hold.number) }, { $0.integer(0) })
      if let owner { try unlist(hold.number, of: owner) }
    }
    try run("INSERT OR REPLACE INTO counters VALUES (?1, ?2, ?3, ?4, ?5)", changes.counts) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.key.kind.rawValue)
      $0.bind(3, $1.key.subject)
      $0.bind(4, $1.period)
      $0.bind(5, $1.value)
    }
    try run("DELETE FROM counters WHERE customer = ?1 AND kind = ?2 AND subject = ?3", changes.endedCounts) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.key.kind.rawValue)
      $0.bind(3, $1.key.subject)
    }
  }
}
