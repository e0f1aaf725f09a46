extension Ledger {
  /// Returns a page of the feed: the transactions of all customers, oldest first, each exactly once.
  ///
  /// Reading page after page, each from the cursor of the page before, returns every booked transaction exactly once.
  /// This holds even if a transaction was committed late, at the same time as others. Events of one customer are in the
  /// order of booking. Events of different customers have no order if several lanes commit concurrently. A reader that
  /// stores the cursor in the same commit as the results of the events handles each event once.
  ///
  /// - Parameters:
  ///   - cursor: The cursor of the page before; nil for the beginning of the journal.
  ///   - limit: 1 to ``Limits/historyPage``.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `invalid_request` for a cursor that is
  ///   not of this project's feed.
  public func feed(after cursor: FeedCursor? = nil, limit: Int = 100) throws(LedgerError) -> FeedPage {
    try Limits.check(page: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> FeedPage in
      let salt = definitions.transactionIDs.salt
      var position = try cursor?.position(salt: salt) ?? FeedPosition()
      let found = try snapshot.feedTransactions(after: position, limit: limit + 1)
      let rows = Array(found.prefix(limit))
      let events = try HistoryReader(snapshot: snapshot, definitions: definitions).events(rows)
      let path = FeedPath(
        start: position, numbers: rows.map(\.number), isOrdered: snapshot.commitsInOrder, salt: salt)
      position.advance(past: path.numbers, isOrdered: path.isOrdered)
      let next = rows.isEmpty ? cursor : nil
      return FeedPage(
        events: events, next: next ?? FeedCursor(position, salt: salt), hasMore: found.count > limit, path: path)
    }
  }
}
