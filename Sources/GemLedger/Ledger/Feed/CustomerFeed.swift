/// The feed's events of one customer, oldest first, up to a position in the feed.
///
/// The index of a customer's transactions leads from new to old. So the numbers of many transactions are read at a time
/// and the events in pages: the time is proportional to the number of events, and memory is bounded.
package struct CustomerFeed: Sendable {
  /// Most numbers in memory: 400 KB.
  package static let numberCountMax = 50_000

  private let ledger: Ledger
  private let customer: CustomerNumber
  private let position: FeedPosition
  private let numberCountMax: Int
  /// All up to this transaction are read.
  private var start: TransactionNumber
  /// The numbers of the next transactions, in their order.
  private var numbers: ArraySlice<TransactionNumber> = []
  /// Whether there are no further transactions after the numbers.
  private var isAtEnd = false

  init(
    _ ledger: Ledger, customer: CustomerNumber, behind start: TransactionNumber, upTo position: FeedPosition,
    numberCountMax: Int = numberCountMax
  ) {
    self.ledger = ledger
    self.customer = customer
    self.start = start
    self.position = position
    self.numberCountMax = numberCountMax
  }

  /// Returns the next events; none at the end.
  ///
  /// - Parameter limit: 1 to ``Limits/historyPage``.
  /// - Throws: ``LedgerError`` with `limit_exceeded`, or if the storage fails.
  package mutating func next(_ limit: Int) throws(LedgerError) -> [FeedEvent] {
    try Limits.check(page: limit)
    while true {
      if numbers.isEmpty {
        if isAtEnd { return [] }
        try readNumbers()
      }
      let page = numbers.prefix(limit)
      guard let last = page.last else { return [] }
      let events = try events(Array(page))
      numbers = numbers.dropFirst(page.count)
      start = last
      if !events.isEmpty { return events }
    }
  }

  private func events(_ page: [TransactionNumber]) throws(LedgerError) -> [FeedEvent] {
    let customer = customer
    return try ledger.reading { (snapshot, definitions) throws(LedgerError) -> [FeedEvent] in
      let found = try snapshot.rows(TransactionRow.byNumber, page.map { IndexKey($0, of: customer) })
      // A merge into another customer touches this customer and belongs to the other.
      let own = found.filter { $0.customer == customer }.sorted { $0.number < $1.number }
      return try HistoryReader(snapshot: snapshot, definitions: definitions).events(own)
    }
  }

  private mutating func readNumbers() throws(LedgerError) {
    let (customer, start, position, countMax) = (customer, start, position, numberCountMax)
    let kept = try ledger.storage.read { (snapshot) throws(LedgerError) -> [TransactionNumber] in
      var kept: [TransactionNumber] = []
      var below = TransactionNumber.max
      while true {
        let page = try snapshot.newestTransactions(ofAny: [customer], below: below, limit: Limits.historyPage)
        kept += page.filter { $0 > start && position.covers($0) }
        // The newest ones are dropped now and then, not with every page.
        if kept.count >= 2 * countMax { kept.removeFirst(kept.count - countMax) }
        guard page.count == Limits.historyPage, let last = page.last, last > start else { return kept }
        guard last < below else { throw .leadsBack("transactions") }
        below = last
      }
    }
    numbers = kept.suffix(countMax).reversed()[...]
    isAtEnd = kept.count <= countMax
  }
}
