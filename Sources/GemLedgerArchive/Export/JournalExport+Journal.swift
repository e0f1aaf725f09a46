internal import GemLedger
internal import GemLedgerAudit

// The journal: each transaction with all its rows.

extension JournalExport {
  mutating func writeJournal(_ progress: (Int64) -> Void) throws(LedgerError) {
    let start = try firstNumber()
    var parts = TransactionScans(scan, after: start)
    var attributes = LotAttributesSource(
      snapshot, scan: isDense && snapshot.commitsInOrder ? scan : nil, after: position.lots[0])
    var newLots = NewLots(highest: position.lots, isDense: isDense)
    var last = start
    while true {
      let rows = try scan.transactions(after: last, limit: Self.pageSize)
      guard let end = rows.last?.number else { break }
      var page: [ExportedTransaction] = []
      page.reserveCapacity(rows.count)
      for row in rows {
        var transaction = try parts.next(row)
        guard after?.feed.covers(row.number) != true else { continue }
        transaction.newLots = newLots.note(transaction)
        page.append(transaction)
      }
      position.lots = newLots.highest
      try attributes.load(page)
      for transaction in page { try write(transaction, attributes.rows(of: transaction.newLots)) }
      position.feed.advance(past: page.lazy.map(\.row.number), isOrdered: snapshot.commitsInOrder)
      transactionCount += Int64(page.count)
      last = end
      progress(transactionCount)
    }
    try parts.expectEnd()
  }

  /// Returns a number below all new transactions; exported transactions may also be above it.
  func firstNumber() throws(LedgerError) -> TransactionNumber {
    guard let feed = after?.feed else { return 0 }
    guard !snapshot.commitsInOrder else { return feed.floor }
    // A lane without bookings may add a transaction with any number.
    return (0..<Int64(max(laneCount, 1))).map(feed.last(ofLane:)).min() ?? 0
  }

  private mutating func write(
    _ transaction: ExportedTransaction, _ newLots: [LotAttributesRow]
  ) throws(LedgerError) {
    try lines.begin(transaction, newLots: newLots)
    try lines.end(transaction)
    entryCount += Int64(transaction.entries.count)
    keyDigests &+= UInt64(bitPattern: transaction.row.erasable) &- (transaction.note.map(RowDigest.of) ?? 0)
  }
}
