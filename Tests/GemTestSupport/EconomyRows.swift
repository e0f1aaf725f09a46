package import GemLedger
internal import XCTest

/// All rows that the books consist of, as a scan reads them.
package struct EconomyRows: Hashable {
  package var transactions: [TransactionRow] = []
  package var entries: [EntryRow] = []
  package var allocations: [AllocationRow] = []
  package var accounts: [AccountRow] = []
  package var lots: [LotRow] = []
  package var lotAttributes: [LotAttributesRow] = []
  package var events: [JournalEventRow] = []
  package var holds: [HoldRow] = []
  package var counts: [CountRow] = []
  package var purchases: [PurchaseRow] = []
  package var refunds: [RefundRow] = []
  package var refundParts: [RefundPartRow] = []
  package var refundStates: [RefundStateRow] = []
  package var merges: [MergeRow] = []
  package var itemEntries: [ItemEntryRow] = []
  package var ownedItems: [OwnedItemRow] = []
  /// Number, id, whether frozen, and the surviving customer of a merge.
  package var customers: [String] = []
  /// Customer, key, request and outcome, in this order.
  package var keys: [String] = []

  package init(_ ledger: Ledger) throws {
    self = try ledger.storage.read { (snapshot) throws(LedgerError) -> EconomyRows in
      try EconomyRows(scan: try snapshot.scan(), snapshot: snapshot)
    }
  }

  private init(scan: any StorageScan, snapshot: any StorageSnapshot) throws(LedgerError) {
    let limit = 4096
    transactions = try Self.all { (last) throws(LedgerError) in
      try scan.transactions(after: last?.number ?? 0, limit: limit)
    }
    entries = try Self.all { (last) throws(LedgerError) in try scan.entries(after: last?.number ?? 0, limit: limit) }
    allocations = try Self.all { (last) throws(LedgerError) in try scan.page(after: last, limit: limit) }
    accounts = try Self.all { (last) throws(LedgerError) in
      try scan.accounts(after: last?.number ?? AccountNumber(rawValue: 0), limit: limit)
    }
    lots = try Self.all { (last) throws(LedgerError) in try scan.lots(after: last?.number ?? 0, limit: limit) }
    lotAttributes = try Self.all { (last) throws(LedgerError) in
      try scan.lotAttributes(after: last?.lot ?? 0, limit: limit)
    }
    events = try Self.all { (last) throws(LedgerError) in try scan.page(after: last, limit: limit) }
    holds = try Self.all { (last) throws(LedgerError) in try scan.holds(after: last?.number ?? 0, limit: limit) }
    counts = try Self.all { (last) throws(LedgerError) in try scan.page(after: last, limit: limit) }
    purchases = try Self.all { (last) throws(LedgerError) in
      try scan.purchases(after: last?.number ?? 0, limit: limit)
    }
    refunds = try Self.all { (last) throws(LedgerError) in
      try scan.refunds(after: last?.transaction ?? 0, limit: limit)
    }
    refundParts = try Self.all { (last) throws(LedgerError) in try scan.page(after: last, limit: limit) }
    refundStates = try Self.all { (last) throws(LedgerError) in
      try scan.refundStates(after: last?.purchase ?? 0, limit: limit)
    }
    merges = try Self.all { (last) throws(LedgerError) in
      try scan.merges(after: last?.transaction ?? 0, limit: limit)
    }
    itemEntries = try Self.all { (last) throws(LedgerError) in try scan.page(after: last, limit: limit) }
    ownedItems = try Self.all { (last) throws(LedgerError) in try scan.page(after: last, limit: limit) }
    try readPeople(scan, snapshot)
  }

  private mutating func readPeople(_ scan: any StorageScan, _ snapshot: any StorageSnapshot) throws(LedgerError) {
    let people: [CustomerRow] = try Self.all { (last) throws(LedgerError) in
      try snapshot.customers(after: last?.number ?? 0, limit: 4096)
    }
    customers = people.map { "\($0.number) \($0.id) frozen \($0.frozen) part of \($0.mergedInto)" }
    let answers: [KeyRow] = try Self.all { (last) throws(LedgerError) in try scan.page(after: last, limit: 4096) }
    keys = answers.map { "\($0.customer) \($0.key) \($0.fingerprint) \($0.outcome)" }.sorted()
  }

  private static func all<Row>(_ page: (Row?) throws(LedgerError) -> [Row]) throws(LedgerError) -> [Row] {
    var rows: [Row] = []
    while true {
      let next = try page(rows.last)
      if next.isEmpty { return rows }
      rows += next
    }
  }

  /// Without keys: the rows that a refusal kept under its key must leave alone.
  package var withoutKeys: Self {
    var rows = self
    rows.keys = []
    return rows
  }

  /// Without the instants at which accounts look for due effects: these may be too early, and no answer shows them.
  package var withoutHints: Self {
    var rows = self
    for index in rows.accounts.indices { (rows.accounts[index].nextDue, rows.accounts[index].nextExpiry) = (0, 0) }
    return rows
  }

  /// Whether the customers have the same, regardless of the way to it.
  package func isSameState(as other: Self) -> Bool {
    func worth(_ rows: Self) -> [[Int64]] {
      rows.accounts.map { [$0.number.rawValue, $0.balance, $0.debt, $0.held, $0.poolRemaining] }
        + rows.lots.filter { $0.remaining != 0 }.map { [$0.number, $0.account.rawValue, $0.remaining] }
    }
    return worth(self) == worth(other) && customers == other.customers
      && ownedItems.filter { $0.quantity != 0 } == other.ownedItems.filter { $0.quantity != 0 }
  }

  /// The journal without values that depend on how a storage numbers, a line for each transaction in its order.
  package var journalWithoutNumbers: [String] {
    let (entries, events) = (
      Dictionary(grouping: entries, by: \.transaction), Dictionary(grouping: events, by: \.transaction)
    )
    return transactions.map { transaction in
      let lines = (entries[transaction.number] ?? []).map {
        "\($0.kind) \($0.account.currency) \($0.amount) \($0.balance) \($0.debt) \($0.version)"
      }
      let marks = (events[transaction.number] ?? []).map {
        "\($0.kind) \($0.currency) \($0.amount) \($0.hasPlainValue ? $0.value : 0) "
          + "\($0.heldAfter)"
      }
      return "\(transaction.kind) \(transaction.createdAt) \(lines) \(marks)"
    }
  }

  /// The first row in which two ledgers differ; nil where they are equal.
  package func difference(from other: Self) -> String? {
    func first<Row: Equatable>(_ name: String, _ path: KeyPath<Self, [Row]>) -> String? {
      let (one, two) = (self[keyPath: path], other[keyPath: path])
      guard one != two else { return nil }
      let position = zip(one, two).enumerated().first { $1.0 != $1.1 }?.offset ?? min(one.count, two.count)
      let left = position < one.count ? "\(one[position])" : "nothing"
      let right = position < two.count ? "\(two[position])" : "nothing"
      return "\(name) \(position) of \(one.count) and \(two.count):\n  \(left)\n  \(right)"
    }
    let differences = [
      first("transaction", \.transactions), first("entry", \.entries), first("allocation", \.allocations),
      first("effect", \.events), first("account", \.accounts), first("lot", \.lots),
      first("terms of a lot", \.lotAttributes), first("hold", \.holds), first("count", \.counts),
      first("purchase", \.purchases), first("refund", \.refunds), first("refund part", \.refundParts),
      first("refund state", \.refundStates), first("merge", \.merges), first("item entry", \.itemEntries),
      first("owned item", \.ownedItems), first("customer", \.customers), first("key", \.keys),
    ]
    return differences.lazy.compactMap(\.self).first
  }
}

extension JournalEventRow {
  /// Whether its value is no number that a storage draws, as a customer's is, or that of an allowance's lot.
  fileprivate var hasPlainValue: Bool { kind == .deadline || kind == .counted && count?.kind != .allowed }
}
