internal import GemLedger

/// One refresh of the summary: what it read, and the documents that it changes.
struct SummaryStep {
  private(set) var state: SummaryState
  /// The version of the state's document; nil if there is none.
  let version: Int64?
  /// The contents of the changed documents; nil for those to remove.
  private(set) var documents: [String: String?] = [:]

  private let snapshot: any StorageSnapshot
  private let limit: Int
  private let transactionsMax: Int
  private var fold: SummaryFold

  init(
    _ snapshot: any StorageSnapshot, _ definitions: CurrencyDefinitions, limit: Int, transactionsMax: Int
  ) throws(LedgerError) {
    (self.snapshot, self.limit, self.transactionsMax) = (snapshot, limit, transactionsMax)
    let document = try snapshot.document(DocumentName(SummaryState.documentName))
    version = document?.version
    state = if let document { try SummaryState(document) } else { try SummaryState(snapshot) }
    fold = SummaryFold(snapshot, definitions, accounts: state.account)
  }

  /// - Returns: Whether there is anything to save.
  mutating func run() throws(LedgerError) -> Bool {
    let before = state
    let (count, isAtEnd) = try readTransactions(atMost: before.account > 0 ? transactionsMax : limit)
    var isRestarted = false
    if before.account > 0 {
      let isFollowed = isAtEnd ? try fold.addValues() : false
      isRestarted = !isFollowed
    }
    if isRestarted {
      state.account = 0
    } else if isAtEnd, !state.isComplete {
      // At least a few accounts, so that the scan also ends if many transactions are booked between its pages.
      try readAccounts(atMost: max(limit - count, limit / 4, 1))
    }
    try change(places(withCurrencies: !isRestarted))
    if isRestarted { try remove(below: "currency/") { _ in true } }
    if before.asOf.hour != state.asOf.hour {
      let asOf = state.asOf
      for kind in ["hour/", "day/"] { try remove(below: kind) { !$0.isShown(asOf: asOf) } }
    }
    return version == nil || state != before
  }

  private mutating func readTransactions(atMost most: Int) throws(LedgerError) -> (count: Int, isAtEnd: Bool) {
    var count = 0
    while count < most {
      let size = min(Limits.historyPage, most - count)
      let rows = try snapshot.feedTransactions(after: state.position, limit: size)
      try fold.add(rows)
      state.advance(past: rows, isOrdered: snapshot.commitsInOrder)
      count += rows.count
      guard rows.count == size else { return (count, true) }
    }
    return (count, false)
  }

  private mutating func readAccounts(atMost most: Int) throws(LedgerError) {
    let scan = try snapshot.scan()
    fold.accounts = .max
    var rest = most
    while rest > 0 {
      let size = min(ScanPage.size, rest)
      let page = try scan.accounts(after: AccountNumber(rawValue: state.account), limit: size)
      for account in page { try fold.add(account) }
      guard page.count == size, let last = page.last else {
        state.account = .max
        return
      }
      state.account = last.number.rawValue
      rest -= size
    }
  }

  // MARK: Documents

  /// The changes by place; hours count in their days too.
  private func places(withCurrencies: Bool) throws(LedgerError) -> [SummaryPlace: SummaryCounts] {
    var places: [SummaryPlace: SummaryCounts] = [:]
    for (place, counts) in fold.counts {
      switch place {
      case .currency: if withCurrencies { places[place] = counts }
      case .hour(let hour):
        places[place] = counts
        try places[.day(hour / 24), default: [:]].add(counts)
      case .day: continue
      }
    }
    return places.filter { $0.key.isShown(asOf: state.asOf) }
  }

  private mutating func change(_ places: [SummaryPlace: SummaryCounts]) throws(LedgerError) {
    for (place, changes) in places {
      let document = try snapshot.document(DocumentName(place.documentName))
      var counts = if let document { try SummaryCounts(document) } else { SummaryCounts() }
      try counts.add(changes)
      documents.updateValue(counts.content, forKey: place.documentName)
    }
  }

  private mutating func remove(below name: String, where isOver: (SummaryPlace) -> Bool) throws(LedgerError) {
    for document in try Self.documents(below: name, in: snapshot) {
      guard let place = SummaryPlace(documentName: document.name.text), isOver(place) else { continue }
      documents.updateValue(nil, forKey: document.name.text)
    }
  }

  /// Reads the documents with counters whose names continue with the text.
  static func documents(below name: String, in snapshot: any StorageSnapshot) throws(LedgerError) -> [DocumentRow] {
    let prefix = try DocumentName("\(SummaryState.documentName)/\(name)")
    var found: [DocumentRow] = []
    while true {
      let page = try snapshot.documents(
        withPrefix: prefix, after: found.last?.name, limit: Limits.documentsPerPage)
      found += page
      guard page.count == Limits.documentsPerPage else { return found }
    }
  }
}
