#if PostgreSQL
  internal import GemLedger

  // Effects, holds and counts.

  extension PostgresTables {
    static let effectColumns = """
      transaction_number, position, customer, kind, target, currency, lot, amount, value, counter_kind, subject, period,
      created_at, held_after
      """

    static func effect(_ rows: PostgresRows, _ row: Int) -> EffectRow {
      EffectRow(
        transaction: rows.integer(row, 0), position: rows.integer(row, 1), customer: rows.integer(row, 2),
        kind: EffectRow.Kind(rawValue: rows.integer(row, 3)) ?? .linked, target: rows.integer(row, 4),
        currency: rows.integer(row, 5), lot: rows.integer(row, 6), amount: rows.integer(row, 7),
        value: rows.integer(row, 8),
        count: CountKey.Kind(rawValue: rows.integer(row, 9)).map { CountKey($0, rows.text(row, 10)) },
        period: rows.integer(row, 11), createdAt: Timestamp(milliseconds: rows.integer(row, 12)),
        heldAfter: rows.integer(row, 13))
    }

    func effects(
      of transaction: TransactionNumber, ofAny owners: [CustomerNumber]
    ) throws(LedgerError) -> [EffectRow] {
      try fetchBooked(.effects, of: transaction)
      if let booked = prefetched?.booked, booked.knows(.effects, of: transaction) {
        return booked.effects(of: transaction)
      }
      return try all(
        """
        SELECT \(Self.effectColumns) FROM journal_events WHERE customer = ANY($1) AND transaction_number = $2
        ORDER BY position
        """,
        {
          $0.add(owners, \.self)
          $0.add(transaction)
        }, Self.effect)
    }

    func effects(
      about target: TransactionNumber, ofAny owners: [CustomerNumber]
    ) throws(LedgerError) -> [EffectRow] {
      try fetchOpenHold(target)
      try fetchBooked(.about, of: target)
      if let booked = prefetched?.booked, booked.knows(.about, of: target) { return booked.effects(about: target) }
      return try all(
        """
        SELECT \(Self.effectColumns) FROM journal_events WHERE customer = ANY($1) AND target = $2 AND target <> 0
        ORDER BY transaction_number, position
        """,
        {
          $0.add(owners, \.self)
          $0.add(target)
        }, Self.effect)
    }

    func effects(
      of customer: CustomerNumber, below: TransactionNumber, limit: Int
    ) throws(LedgerError) -> [EffectRow] {
      guard limit > 0 else { return [] }
      // All of the transaction that the last one within the limit belongs to.
      return try all(
        """
        SELECT \(Self.effectColumns) FROM journal_events
        WHERE customer = $1 AND transaction_number < $2 AND kind BETWEEN 3 AND 6
          AND transaction_number >= coalesce((
            SELECT transaction_number FROM journal_events
            WHERE customer = $1 AND transaction_number < $2 AND kind BETWEEN 3 AND 6
            ORDER BY transaction_number DESC, position DESC OFFSET $3 LIMIT 1), 0)
        ORDER BY transaction_number DESC, position DESC
        """,
        {
          $0.add(customer)
          $0.add(below)
          $0.add(Int64(limit) - 1)
        }, Self.effect)
    }

    // MARK: Many at a time

    static let byTarget = RowsByNumber(
      isWanted: "target = wanted AND target <> 0", isAny: "target = ANY($2) AND target <> 0")

    func effects(of transactions: [RowPlace]) throws(LedgerError) -> [TransactionNumber: [EffectRow]] {
      let rows = try rows(
        at: transactions, Self.effectColumns, from: "journal_events", by: "transaction_number", Self.effect)
      return Dictionary(grouping: rows.sorted { $0.position < $1.position }, by: \.transaction)
    }

    func effects(
      about targets: [TransactionNumber: [CustomerNumber]]
    ) throws(LedgerError) -> [TransactionNumber: [EffectRow]] {
      let places = targets.flatMap { target, owners in owners.map { RowPlace(target, of: $0) } }
      let rows = try rows(at: places, Self.effectColumns, from: "journal_events", by: Self.byTarget, Self.effect)
      return Dictionary(
        grouping: rows.sorted { ($0.transaction, $0.position) < ($1.transaction, $1.position) }, by: \.target)
    }

    // MARK: Holds

    static let holdColumns = "hold, customer, deadline, begun_at, currency, lot, amount"

    static func hold(_ rows: PostgresRows, _ row: Int) -> HoldRow {
      HoldRow(
        number: rows.integer(row, 0), customer: rows.integer(row, 1),
        deadline: Timestamp(milliseconds: rows.integer(row, 2)),
        begunAt: rows.optionalInteger(row, 3).map(Timestamp.init(milliseconds:)),
        sole: rows.optionalInteger(row, 4).map {
          LotAmount(currency: $0, lot: rows.integer(row, 5), amount: rows.integer(row, 6))
        })
    }

    func hold(_ number: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> HoldRow? {
      if let booked = prefetched?.booked, booked.knows(.hold, of: number) { return booked.holds[number] }
      if owners.isEmpty { return nil }
      let hold = try first(
        "SELECT \(Self.holdColumns) FROM open_holds WHERE customer = ANY($1) AND hold = $2",
        {
          $0.add(owners, \.self)
          $0.add(number)
        }, Self.hold)
      if let hold { prefetched?.holdOwners[number] = hold.customer }
      return hold
    }

    func holds(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] {
      if let known = try heldInGroup(by: customer) { return known }
      return try all(
        "SELECT \(Self.holdColumns) FROM open_holds WHERE customer = $1 ORDER BY deadline, hold", { $0.add(customer) },
        Self.hold)
    }

    // MARK: Counts

    static let countColumns = "customer, kind, subject, period, value"

    static func count(_ rows: PostgresRows, _ row: Int) -> CountRow {
      CountRow(
        customer: rows.integer(row, 0),
        key: CountKey(CountKey.Kind(rawValue: rows.integer(row, 1)) ?? .bought, rows.text(row, 2)),
        period: rows.integer(row, 3), value: rows.integer(row, 4))
    }

    func count(_ key: CountKey, of customer: CustomerNumber) throws(LedgerError) -> CountRow? {
      if let known = try countsInGroup(of: customer) { return known[key] }
      return try first(
        "SELECT \(Self.countColumns) FROM counters WHERE customer = $1 AND kind = $2 AND subject = $3",
        {
          $0.add(customer)
          $0.add(key.kind.rawValue)
          $0.add(key.subject)
        }, Self.count)
    }

    func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] {
      if let known = try countsInGroup(of: customer) { return known.values.sorted { $0.key < $1.key } }
      return try all(
        "SELECT \(Self.countColumns) FROM counters WHERE customer = $1 ORDER BY kind, subject", { $0.add(customer) },
        Self.count)
    }
  }

  // MARK: Scans

  extension PostgresScan {
    func effects(after: EffectRow?, limit: Int) throws(LedgerError) -> [EffectRow] {
      func place(_ row: EffectRow) -> [Mark] { [.integer(row.transaction), .integer(row.position)] }
      return try page(
        "effects",
        """
        SELECT \(PostgresTables.effectColumns) FROM journal_events WHERE (transaction_number, position) > ($1, $2)
        ORDER BY transaction_number, position
        """, after: after.map(place) ?? [.integer(-1), .integer(-1)], limit, PostgresTables.effect, place: place)
    }

    func holds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [HoldRow] {
      try page(
        "holds", "SELECT \(PostgresTables.holdColumns) FROM open_holds WHERE hold > $1 ORDER BY hold",
        after: [.integer(after)], limit, PostgresTables.hold
      ) { [.integer($0.number)] }
    }

    func counts(after: CountRow?, limit: Int) throws(LedgerError) -> [CountRow] {
      func place(_ row: CountRow) -> [Mark] {
        [.integer(row.customer), .integer(row.key.kind.rawValue), .text(row.key.subject)]
      }
      // No kind is below 1.
      return try page(
        "counts",
        """
        SELECT \(PostgresTables.countColumns) FROM counters WHERE (customer, kind, subject) > ($1, $2, $3)
        ORDER BY customer, kind, subject
        """, after: after.map(place) ?? [.integer(-1), .integer(0), .text("")], limit, PostgresTables.count,
        place: place)
    }
  }
#endif
