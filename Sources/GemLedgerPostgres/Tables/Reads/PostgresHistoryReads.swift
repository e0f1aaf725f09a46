#if PostgreSQL
internal import GemLedger

/// Reads of histories, and of transactions with their rows, in one round trip each.
protocol PostgresHistoryReads: PostgresReads {}

/// The progress of a backward read through the entries of a customer.
private struct EntryHistory {
  let owner: CustomerNumber
  /// The read continues below this entry; 0 at the end.
  var end: EntryNumber
  var transactions: Set<TransactionNumber> = []
}

extension PostgresHistoryReads {
  func newestTransactions(
    ofAny owners: [CustomerNumber], below start: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [TransactionNumber] {
    var found: Set<TransactionNumber> = []
    var histories = owners.map { EntryHistory(owner: $0, end: Self.firstEntry(of: start)) }
    var requests = owners.map { Self.withoutEntries(of: $0, below: start, limit) }
    // Few transactions have more than one entry of a customer: one round is usually enough.
    let count = max(2 * limit, 64)
    while !histories.isEmpty {
      requests += histories.map { Self.newestEntries(of: $0.owner, below: $0.end, count) }
      let answers = try ask(requests)
      for rows in answers.dropLast(histories.count) {
        found.formUnion((0..<rows.count).map { rows.integer($0, 0) })
      }
      for (index, rows) in zip(histories.indices, answers.suffix(histories.count)) {
        histories[index].transactions.formUnion(
          (0..<rows.count).map { Numbering.transaction(of: rows.integer($0, 0)) })
        found.formUnion(histories[index].transactions)
        histories[index].end = rows.count < count ? 0 : rows.integer(count - 1, 0)
      }
      histories.removeAll { $0.end == 0 || $0.transactions.count >= limit }
      requests = []
    }
    return Array(found.sorted(by: >).prefix(limit))
  }

  func notedTransactions(
    _ wanted: [TransactionNumber], ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [TransactionNumber: NotedTransaction] {
    guard let oldest = wanted.min(), let newest = wanted.max() else { return [:] }
    // A page of a history contains all rows of its customers between its oldest and its newest transaction.
    let answers = try ask(Self.requests(from: oldest, to: newest, owners))
    guard answers.count == 6 else { throw .defect("A statement had no answer") }
    let numbers = Set(wanted)
    var found: [TransactionNumber: NotedTransaction] = [:]
    for row in Self.rows(answers[0], TransactionRow.read) where numbers.contains(row.number) {
      let parts = TransactionParts(row: row, entries: [], allocations: [], items: [], sources: [:])
      found[row.number] = NotedTransaction(parts: parts, note: nil)
    }
    var sources: [LotNumber: LotSource] = [:]
    for row in 0..<answers[5].count {
      sources[answers[5].integer(row, 0)] = LotSource(rawValue: answers[5].integer(row, 1)) ?? .admin
    }
    for entry in Self.rows(answers[1], EntryRow.read) {
      found[entry.transaction]?.parts.entries.append(entry)
      if entry.lot != 0 { found[entry.transaction]?.parts.sources[entry.lot] = sources[entry.lot] }
    }
    for allocation in Self.rows(answers[2], AllocationRow.read) {
      let transaction = Numbering.transaction(of: allocation.entry)
      found[transaction]?.parts.allocations.append(allocation)
      found[transaction]?.parts.sources[allocation.lot] = sources[allocation.lot]
    }
    for item in Self.rows(answers[3], ItemEntryRow.read) { found[item.transaction]?.parts.items.append(item) }
    for note in Self.rows(answers[4], NoteRow.read) { found[note.transaction]?.note = note }
    return found
  }

  /// Returns the entry of a version; checkpoints bound the entries to read, in one round trip.
  func entry(of account: AccountRow, version: Int64) throws(LedgerError) -> EntryRow? {
    guard version >= 1, version <= account.version else { return nil }
    let before = version / CheckpointRow.interval * CheckpointRow.interval
    let request = PostgresRequest(
      """
      SELECT \(EntryRow.columns) FROM entries WHERE customer = $1 AND currency = $2 AND version = $3
        AND number >= coalesce((
          SELECT entry FROM checkpoints WHERE customer = $1 AND currency = $2 AND version = $4), 0)
        AND number <= coalesce((
          SELECT entry FROM checkpoints WHERE customer = $1 AND currency = $2 AND version = $5), $6)
      """, account.number.customer, account.number.currency, version, before, before + CheckpointRow.interval,
      account.lastEntry)
    let found = try first(request, read: EntryRow.read)
    guard let found else {
      throw LedgerError(
        .storageDamaged, "\(storageName) lacks the entry of version \(version) of an account. Run verify.")
    }
    return found
  }

  // MARK: Statements

  /// Returns the first possible entry number of the transaction, which may have the highest number.
  private static func firstEntry(of transaction: TransactionNumber) -> EntryNumber {
    transaction > Numbering.transaction(of: .max) ? .max : Numbering.entries(of: transaction).lowerBound
  }

  private static func withoutEntries(
    of owner: CustomerNumber, below: TransactionNumber, _ limit: Int
  ) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT number FROM transactions WHERE customer = $1 AND NOT has_entries AND number < $2
      ORDER BY number DESC LIMIT $3
      """, owner, below, Int64(limit))
  }

  private static func newestEntries(
    of owner: CustomerNumber, below: EntryNumber, _ limit: Int
  ) -> PostgresRequest {
    PostgresRequest(
      "SELECT number AS entry FROM entries WHERE customer = $1 AND number < $2 ORDER BY number DESC LIMIT $3", owner,
      below, Int64(limit))
  }

  private static func requests(
    from oldest: TransactionNumber, to newest: TransactionNumber, _ owners: [CustomerNumber]
  ) -> [PostgresRequest] {
    func request(_ sql: String, _ bounds: ClosedRange<Int64>) -> PostgresRequest {
      PostgresRequest(sql, owners, bounds.lowerBound, bounds.upperBound)
    }
    func rows(
      _ columns: String, _ table: String, _ number: String, _ bounds: ClosedRange<Int64>, then order: String = ""
    ) -> PostgresRequest {
      request(
        """
        SELECT \(columns) FROM \(table) WHERE customer = ANY($1) AND \(number) BETWEEN $2 AND $3
        ORDER BY \(number)\(order)
        """, bounds)
    }
    let transactions = oldest...newest
    let entries = Numbering.entries(of: oldest).lowerBound...Numbering.entries(of: newest).upperBound - 1
    return [
      rows(TransactionRow.columns, "transactions", "number", transactions),
      rows(EntryRow.columns, "entries", "number", entries),
      rows(AllocationRow.columns, "allocations", "entry", entries, then: ", position"),
      rows(ItemEntryRow.columns, "item_entries", "transaction_number", transactions, then: ", item"),
      rows(NoteRow.columns, "notes", "transaction_number", transactions),
      request(
        """
        SELECT t.lot, t.source FROM (
          SELECT customer, lot FROM entries WHERE customer = ANY($1) AND number BETWEEN $2 AND $3 AND lot <> 0
          UNION SELECT customer, lot FROM allocations WHERE customer = ANY($1) AND entry BETWEEN $2 AND $3
        ) AS named JOIN lot_attributes t ON t.customer = named.customer AND t.lot = named.lot
        WHERE t.customer = ANY($1)
        """, entries),
    ]
  }

  private static func rows<Row>(_ rows: PostgresRows, _ read: (PostgresRows, Int) -> Row) -> [Row] {
    (0..<rows.count).map { read(rows, $0) }
  }
}
#endif
