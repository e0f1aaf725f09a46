/// Reads of the feed for services that deliver its events: single events, and those of one customer.
package struct FeedPlaces: Sendable {
  let ledger: Ledger

  /// Returns the end of the feed: a reader that begins there gets later transactions only.
  ///
  /// If lanes commit in parallel, a transaction that took a minute to commit may be left out.
  ///
  /// - Throws: ``LedgerError`` if the storage fails.
  package func end() throws(LedgerError) -> FeedCursor {
    try ledger.reading { (snapshot, definitions) throws(LedgerError) -> FeedCursor in
      let salt = definitions.transactionIDs.salt
      guard !snapshot.commitsInOrder else {
        return FeedCursor(FeedPosition(floor: try snapshot.sequences().transaction), salt: salt)
      }
      // The numbers of lanes follow time, so that only the last minute is read.
      let recent = try snapshot.newestInstant().advanced(milliseconds: -60_000)
      var position = FeedPosition(floor: Numbering.last(before: recent, lane: Int64(Numbering.laneCountMax - 1)))
      while true {
        let rows = try snapshot.feedTransactions(after: position, limit: Limits.historyPage)
        guard !rows.isEmpty else { return FeedCursor(position, salt: salt) }
        position.advance(past: rows.map(\.number), isOrdered: false)
      }
    }
  }

  /// Returns a cursor's position, which distinguishes the transactions that its reader has read.
  ///
  /// - Throws: ``LedgerError`` with `invalid_request` for a cursor that this project's feed did not give.
  package func position(at cursor: FeedCursor) throws(LedgerError) -> FeedPosition {
    try ledger.reading { (_, definitions) throws(LedgerError) in
      try cursor.position(salt: definitions.transactionIDs.salt)
    }
  }

  /// Returns the feed's event of one transaction.
  ///
  /// - Throws: ``LedgerError`` with `transaction_not_found`.
  package func event(of transaction: TransactionID) throws(LedgerError) -> FeedEvent {
    try ledger.reading { (snapshot, definitions) throws(LedgerError) -> FeedEvent in
      let row = try Self.row(of: transaction, in: snapshot, definitions)
      let events = try HistoryReader(snapshot: snapshot, definitions: definitions).events([row])
      guard let event = events.first else { throw .noTransaction(transaction) }
      return event
    }
  }

  /// Returns the feed's events of one customer after a transaction.
  ///
  /// - Parameter cursor: Only events that a reader at this cursor has read.
  /// - Throws: ``LedgerError`` with, in order of precedence, `transaction_not_found`, `invalid_request` for a cursor
  ///   that this project's feed did not give.
  package func events(
    ofCustomerAfter transaction: TransactionID, upTo cursor: FeedCursor
  ) throws(LedgerError) -> CustomerFeed {
    try ledger.reading { (snapshot, definitions) throws(LedgerError) -> CustomerFeed in
      let first = try Self.row(of: transaction, in: snapshot, definitions)
      let position = try cursor.position(salt: definitions.transactionIDs.salt)
      return CustomerFeed(ledger, customer: first.customer, behind: first.number, upTo: position)
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
}

extension Ledger {
  package var feedPlaces: FeedPlaces { FeedPlaces(ledger: self) }
}

extension LedgerError {
  fileprivate static func noTransaction(_ id: TransactionID) -> Self {
    Self(.transactionNotFound, "There is no transaction \(id) in this ledger.")
  }
}
