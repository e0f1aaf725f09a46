#if PostgreSQL
internal import GemLedger

/// Rows that nearly every group writes: keys, transactions, entries, accounts, lane positions and the commit token.
///
/// On a single server this is one statement, since each statement has a cost before its first row. A distributed engine
/// needs one statement for each table, which a function there can contain (see ``WriteFunction``).
struct CommonWrites: SessionPart {
  let session: PostgresSession

  func requests(
    _ changes: borrowing ChangeSet, _ heads: [LaneHead], _ group: PostgresGroup, releasesEarly: Bool
  ) -> [PostgresRequest] {
    let step = LaneStep(changes, heads)
    let accounts = changes.newAccounts + changes.changedAccounts
    if layout.cluster == nil, let head = heads.first {
      let form = releasesEarly ? 1 : 0
      return [
        PostgresRequest(heads.count == 1 ? Self.together[form] : Self.togetherInSeveralLanes[form]) {
          $0.add(changes, accounts, step, group.token, head: layout.heads[head.lane])
          if heads.count > 1 { $0.add(heads.dropFirst().map { layout.heads[$0.lane] }) { $0 } }
        }
      ]
    }
    if let call = callOfWriteFunction(changes, accounts, step, heads, group) { return [call] }
    return requestsOfEachTable(changes, accounts, step, heads, group)
  }

  // MARK: Statements

  static let keyRows = BulkInsert(
    "keys", "customer, key, request_digest, qualifier_digest, transaction_number, refusal")
  static let transactionRows = BulkInsert(
    "transactions", "customer, number, kind, created_at, has_entries, digest, erasable_digest")
  static let entryRows = BulkInsert(
    "entries", "customer, number, currency, kind, amount, balance, debt, version, previous, lot")
  static let accountRows = BulkInsert(
    "accounts", AccountRow.columns,
    conflict: """
      ON CONFLICT (customer, currency) DO UPDATE SET
        balance = excluded.balance, debt = excluded.debt, held = excluded.held, version = excluded.version,
        last_entry = excluded.last_entry, pool_lot = excluded.pool_lot, pool_source = excluded.pool_source,
        pool_environment = excluded.pool_environment, pool_granted = excluded.pool_granted,
        pool_remaining = excluded.pool_remaining, open_lots = excluded.open_lots,
        next_expiry = excluded.next_expiry, next_scheduled_at = excluded.next_scheduled_at
      """)

  /// The tables with lists of rows, in the order of their parameters.
  static let lists = [keyRows, transactionRows, entryRows, accountRows]

  /// - Parameter further: Further assignments.
  static func headUpdate(from first: Int, further: String = "") -> String {
    """
    UPDATE lanes SET last = $\(first), created_at = $\(first + 1), transactions = transactions + $\(first + 2),
      entries = entries + $\(first + 3), sums = coalesce($\(first + 4), sums)\(further) WHERE customer = $\(first + 5)
    """
  }

  /// Uses the server's clock, so that no other process takes a fresh token for an old one.
  static func markInsert(from first: Int) -> String {
    """
    INSERT INTO commit_tokens (customer, writer, token, committed_at)
    VALUES ($\(first), $\(first + 1), $\(first + 2), (extract(epoch FROM now()) * 1000)::bigint)
    ON CONFLICT (customer, writer) DO UPDATE SET token = excluded.token, committed_at = excluded.committed_at
    """
  }

  // The second text of each pair releases the lanes early.
  private static let together = [false, true].map { together(hasOtherLanes: false, releasesEarly: $0) }
  private static let togetherInSeveralLanes = [false, true].map { together(hasOtherLanes: true, releasesEarly: $0) }

  /// The first of several lanes counts the group's bookings; all of them continue from its last number and instant.
  private static func together(hasOtherLanes: Bool, releasesEarly: Bool) -> String {
    var first = 1
    var parts: [String] = []
    for rows in lists {
      parts.append("\(rows.table)_rows AS (\(rows.sql(from: first)))")
      first += rows.columns.count
    }
    let early = ", early = \(releasesEarly ? EarlyRelease.beginning : "false")"
    parts.append("head AS (\(headUpdate(from: first, further: early)))")
    if hasOtherLanes {
      parts.append(
        """
        other_heads AS (
          UPDATE lanes SET last = $\(first), created_at = $\(first + 1)\(early)
          WHERE customer = ANY($\(first + 9)))
        """)
    }
    return "WITH \(parts.joined(separator: ", ")) \(markInsert(from: first + 6))"
  }

  // MARK: Commit tokens

  /// The lifetime of a commit token in milliseconds: after a lost response a writer looks it up within minutes.
  private static let markLifetime = 86_400_000

  /// Removes old commit tokens of other writers: one part in 256, with the same name prefix as this writer's.
  ///
  /// New processes use new names, so all tokens are reached in time, and no group searches many.
  func sweepOfMarks(_ group: PostgresGroup) -> PostgresRequest {
    let first = group.token.writer.first ?? 0
    return PostgresRequest(
      """
      DELETE FROM commit_tokens WHERE customer = $1 AND writer BETWEEN $2 AND $3
        AND committed_at < (extract(epoch FROM now()) * 1000)::bigint - \(Self.markLifetime)
      """
    ) {
      $0.add(layout.heads[group.lanes.first ?? 0])
      $0.add(bytes: [first])
      $0.add(bytes: [first] + [UInt8](repeating: .max, count: 16))
    }
  }
}

/// The new position of a group's lanes.
struct LaneStep {
  /// The highest number that the group assigned, in any sequence.
  let last: Int64
  let createdAt: Int64
  let transactions: Int64
  let entries: Int64
  /// The first lane's sums including the group; nil if they are not counted yet.
  let sums: [Int64]?

  init(_ changes: borrowing ChangeSet, _ heads: [LaneHead]) {
    var last = heads.map(\.last).max() ?? 0
    last = max(last, changes.transactions.last?.number ?? 0, changes.customers.map(\.number).max() ?? 0)
    last = max(last, changes.lastLot ?? 0)
    last = max(last, changes.purchases.map(\.number).max() ?? 0, changes.orders.new.map(\.number).max() ?? 0)
    self.last = max(last, changes.cold?.lotAttributes.map(\.lot).max() ?? 0)
    createdAt = max(
      heads.map(\.createdAt).max() ?? 0, changes.transactions.map(\.createdAt.milliseconds).max() ?? 0)
    (transactions, entries) = (Int64(changes.transactions.count), Int64(changes.entries.count))
    sums = heads.first?.sums.map { (RecordSums(values: $0) + changes.sums()).values }
  }
}

// MARK: Parameters

extension PostgresParameters {
  /// Adds all lists, the step of the group's first lane, and the commit token.
  ///
  /// - Parameter head: The number of the lane row.
  mutating func add(
    _ changes: borrowing ChangeSet, _ accounts: [AccountRow], _ step: LaneStep, _ token: PostgresGroup.CommitToken,
    head: CustomerNumber
  ) {
    add(keys: changes.keys)
    add(transactions: changes.transactions, without: changes.transactionsWithoutEntries)
    add(entries: changes.entries)
    add(accounts: accounts)
    add(step, customer: head, isFirst: true)
    add(token, customer: head)
  }

  mutating func add(keys rows: [KeyRow]) {
    add(rows, \.customer)
    add(rows, bytes: { PostgresKey.append($0.key, to: &$1) })
    add(rows, \.fingerprint.asked)
    add(rows, \.fingerprint.qualifiers)
    add(rows, optional: { if case .booked(let number) = $0.outcome { number } else { nil } })
    add(rows, text: { if case .refused(let refusal) = $0.outcome { refusal.stored } else { nil } })
  }

  mutating func add(transactions rows: [TransactionRow], without empty: [TransactionRow]) {
    let empty = Set(empty.map(\.number))
    add(rows, \.customer)
    add(rows, \.number)
    add(rows, \.kind.rawValue)
    add(rows, \.createdAt.milliseconds)
    add(rows, truth: { !empty.contains($0.number) })
    add(rows, \.digest)
    add(rows, optional: { $0.erasable == 0 ? nil : $0.erasable })
  }

  mutating func add(entries rows: [EntryRow]) {
    add(rows, \.account.customer)
    add(rows, \.number)
    add(rows, \.account.currency)
    add(rows, \.kind.rawValue)
    add(rows, \.amount)
    add(rows, \.balance)
    add(rows, \.debt)
    add(rows, \.version)
    add(rows, \.previous)
    add(rows, \.lot)
  }

  mutating func add(accounts rows: [AccountRow]) {
    add(rows, \.number.customer)
    add(rows, \.number.currency)
    add(rows, \.balance)
    add(rows, \.debt)
    add(rows, \.held)
    add(rows, \.version)
    add(rows, \.lastEntry)
    add(rows, \.poolLot)
    add(rows, \.poolSource)
    add(rows, \.poolEnvironment)
    add(rows, \.poolGranted)
    add(rows, \.poolRemaining)
    add(rows, \.openLots)
    add(rows, \.nextExpiry)
    add(rows, \.nextDue)
  }

  /// - Parameter isFirst: Whether it is the first lane of the group, which counts all bookings of the group.
  mutating func add(_ step: LaneStep, customer: CustomerNumber, isFirst: Bool) {
    add(step.last)
    add(step.createdAt)
    add(isFirst ? step.transactions : 0)
    add(isFirst ? step.entries : 0)
    add(list: isFirst ? step.sums : nil)
    add(customer)
  }

  mutating func add(_ token: PostgresGroup.CommitToken, customer: CustomerNumber) {
    add(customer)
    add(bytes: token.writer)
    add(token.number)
  }
}
#endif
