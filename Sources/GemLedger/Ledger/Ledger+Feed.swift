extension Ledger {
  /// Returns a page of the feed: the transactions of all customers, oldest first, each exactly once.
  ///
  /// Reading on from the cursor of one page to the next gives every booked transaction and leaves none out, however
  /// late it was committed beside others. Events of one customer come in the order of booking. Between customers there
  /// is no order where several lanes commit side by side. A reader that keeps the cursor in the same commit as the
  /// results of the events handles each event once.
  ///
  /// - Parameters:
  ///   - cursor: Where the page before ended; nil for the beginning of the journal.
  ///   - limit: 1 to ``Limits/historyPage``.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `invalid_request` for a cursor that this
  ///   project's feed did not give.
  public func feed(after cursor: FeedCursor? = nil, limit: Int = 100) throws(LedgerError) -> FeedPage {
    try Self.check(limit: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> FeedPage in
      let salt = definitions.transactionIDs.salt
      var position = try cursor?.position(salt: salt) ?? FeedPosition()
      let found = try snapshot.feedTransactions(after: position, limit: limit + 1)
      let rows = Array(found.prefix(limit))
      let events = try Self.events(rows, in: snapshot, definitions: definitions)
      position.advance(past: rows.lazy.map(\.number), isOrdered: snapshot.commitsInOrder)
      let next = rows.isEmpty ? cursor : nil
      return FeedPage(events: events, next: next ?? FeedCursor(position, salt: salt), hasMore: found.count > limit)
    }
  }

  private static func events(
    _ rows: [TransactionRow], in snapshot: any StorageSnapshot, definitions: CurrencyDefinitions
  ) throws(LedgerError) -> [FeedEvent] {
    guard !rows.isEmpty else { return [] }
    let merges = rows.filter { $0.kind == .merge }
    let merged = try snapshot.mergedCustomers(by: merges.map { RowAddress($0.number, of: $0.customer) })
    let owners = Set(rows.map(\.customer) + merged.values).sorted()
    let customers = try snapshot.customers(owners)
    let found = try snapshot.notedTransactions(rows.map(\.number), ofAny: owners)
    let set = UnitOfWork()
    var events: [FeedEvent] = []
    events.reserveCapacity(rows.count)
    for row in rows {
      guard let transaction = found[row.number], let customer = customers[row.customer] else {
        throw LedgerError(.storageDamaged, "The journal lacks parts of transaction \(row.number); run verify.")
      }
      var other: Booking?
      if let number = merged[row.number], let from = customers[number] {
        var parts = transaction.parts
        parts.row.customer = number
        other = try parts.booking(customer: from.id, definitions: definitions)
      }
      var booking = try transaction.parts.booking(customer: customer.id, definitions: definitions)
      if row.kind.hasEvents {
        try AnswerCompletion.completeAlone(set, &booking, of: row, definitions: definitions, session: snapshot)
      }
      let record = HistoryRecord(
        booking: booking, reference: transaction.note?.reference, reason: transaction.note?.reason,
        actor: transaction.note?.actor)
      events.append(FeedEvent(record: record, merged: other))
    }
    return events
  }
}
