// Reads of the feed for services that deliver its events: single events, and those of one customer.

extension Ledger {
  /// Returns the end of the feed: a reader that begins there gets later transactions only.
  ///
  /// Where lanes commit side by side, a transaction that took a minute to commit may be left out.
  ///
  /// - Throws: ``LedgerError`` where the storage fails.
  package func feedEnd() throws(LedgerError) -> FeedCursor {
    try reading { (snapshot, definitions) throws(LedgerError) -> FeedCursor in
      let salt = definitions.transactionIDs.salt
      guard !snapshot.commitsInOrder else {
        return FeedCursor(FeedPosition(floor: try snapshot.sequences().transaction), salt: salt)
      }
      // Numbers of lanes go with time, so that only the last minute is walked.
      let recent = try snapshot.newestInstant().advanced(milliseconds: -60_000)
      var position = FeedPosition(floor: Numbering.last(before: recent, lane: Int64(Numbering.laneCountMax - 1)))
      while true {
        let rows = try snapshot.feedTransactions(after: position, limit: Limits.historyPage)
        guard !rows.isEmpty else { return FeedCursor(position, salt: salt) }
        position.advance(past: rows.map(\.number), isOrdered: false)
      }
    }
  }

  /// Reads a cursor's position, with which a reader tells the transactions that it has read from the others.
  ///
  /// - Throws: ``LedgerError`` with `invalid_request` for a cursor that this project's feed did not give.
  package func feedPosition(at cursor: FeedCursor) throws(LedgerError) -> FeedPosition {
    try reading { (_, definitions) throws(LedgerError) in
      try cursor.position(salt: definitions.transactionIDs.salt)
    }
  }

  /// Returns the feed's event of one transaction.
  ///
  /// - Throws: ``LedgerError`` with `transaction_not_found`.
  package func feedEvent(of transaction: TransactionID) throws(LedgerError) -> FeedEvent {
    try reading { (snapshot, definitions) throws(LedgerError) -> FeedEvent in
      let row = try Self.row(of: transaction, in: snapshot, definitions)
      let events = try HistoryReader(snapshot: snapshot, definitions: definitions).events([row])
      guard let event = events.first else { throw .noTransaction(transaction) }
      return event
    }
  }

  /// Returns the feed's events of one customer, in their order.
  ///
  /// The time goes with the number of the customer's transactions behind the first one, memory with the limit.
  ///
  /// - Parameters:
  ///   - transaction: The events begin behind this transaction of the customer.
  ///   - cursor: Only events that a reader at this cursor has read.
  ///   - limit: How many events at most, 1 to ``Limits/historyPage``.
  /// - Returns: The events; none where there are no more.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `transaction_not_found`,
  ///   `invalid_request` for a cursor that this project's feed did not give.
  package func feedEvents(
    ofCustomerBehind transaction: TransactionID, upTo cursor: FeedCursor, limit: Int
  ) throws(LedgerError) -> [FeedEvent] {
    try Limits.check(page: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> [FeedEvent] in
      let first = try Self.row(of: transaction, in: snapshot, definitions)
      let position = try cursor.position(salt: definitions.transactionIDs.salt)
      let rows = try Self.rows(behind: first, upTo: position, limit: limit, in: snapshot)
      return try HistoryReader(snapshot: snapshot, definitions: definitions).events(rows)
    }
  }

  private static func row(
    of transaction: TransactionID, in snapshot: any StorageSnapshot, _ definitions: CurrencyDefinitions
  ) throws(LedgerError) -> TransactionRow {
    let ids = definitions.transactionIDs
    guard let number = ids.number(of: transaction), let row = try snapshot.transaction(number),
      ids.id(number: number, createdAt: row.createdAt) == transaction
    else { throw .noTransaction(transaction) }
    return row
  }

  /// The customer's own first transactions behind one of them, up to the limit.
  private static func rows(
    behind first: TransactionRow, upTo position: FeedPosition, limit: Int, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> [TransactionRow] {
    var start = first.number
    while true {
      let numbers = try numbers(of: first.customer, behind: start, upTo: position, limit: limit, in: snapshot)
      guard let last = numbers.last else { return [] }
      let found: [TransactionRow] = try snapshot.rows(.byNumber, numbers.map { IndexKey($0, of: first.customer) })
      // A merge into another customer touches this one and is the other's.
      let own = found.filter { $0.customer == first.customer }.sorted { $0.number < $1.number }
      if !own.isEmpty || numbers.count < limit { return own }
      start = last
    }
  }

  /// The first transactions that touched the customer, in their order.
  private static func numbers(
    of customer: CustomerNumber, behind start: TransactionNumber, upTo position: FeedPosition, limit: Int,
    in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> [TransactionNumber] {
    // The index leads from new to old, and the oldest ones are wanted: of each page they are kept.
    var kept: [TransactionNumber] = []
    var below = TransactionNumber.max
    while true {
      let page = try snapshot.newestTransactions(ofAny: [customer], below: below, limit: Limits.historyPage)
      kept += page.filter { $0 > start && position.covers($0) }
      kept.removeFirst(max(0, kept.count - limit))
      guard page.count == Limits.historyPage, let last = page.last, last > start else { return kept.reversed() }
      guard last < below else { throw .leadsBack("transactions") }
      below = last
    }
  }
}

extension LedgerError {
  fileprivate static func noTransaction(_ id: TransactionID) -> Self {
    Self(.transactionNotFound, "There is no transaction \(id) in this ledger.")
  }
}
