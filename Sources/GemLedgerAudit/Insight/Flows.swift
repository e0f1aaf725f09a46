public import GemLedger

/// The sources and uses of currency, day by day.
public struct Flows: Hashable, Sendable {
  /// The days, oldest first.
  public let days: [Day]

  /// One day, or any other span between two of the boundaries.
  public struct Day: Hashable, Sendable {
    /// The start.
    public let from: Timestamp
    /// The end, exclusive.
    public let until: Timestamp
    /// The flows, in the order of codes and kinds.
    public let flows: [Flow]
    /// Customers' booked balances minus debts at the end, by currency; without zeros.
    public let outstanding: [CurrencyCode: Int64]
  }

  /// The flow of one currency in entries of one kind.
  public struct Flow: Hashable, Sendable {
    /// The currency.
    public let currency: CurrencyCode
    /// The kind of the entries.
    public let kind: EntryKind
    /// The received amount; not negative.
    public let inflow: Int64
    /// The removed amount; not negative.
    public let outflow: Int64
    /// The inflow minus the outflow.
    public var net: Int64 { inflow - outflow }
  }
}

extension Flows.Flow {
  /// Makes the flow of all customers: amounts that moved between them count only in their net amount.
  ///
  /// - Returns: Nil if nothing remains.
  init?(ofAll currency: CurrencyCode, _ kind: EntryKind, inflow: Int64, outflow: Int64) {
    let between = [.transfer, .merge, .unmerge].contains(kind) ? min(inflow, outflow) : 0
    guard inflow != between || outflow != between else { return nil }
    self.init(currency: currency, kind: kind, inflow: inflow - between, outflow: outflow - between)
  }

  static func precedes(_ one: Self, _ other: Self) -> Bool {
    (one.currency, one.kind.rawValue) < (other.currency, other.kind.rawValue)
  }
}

extension Ledger {
  /// The maximum number of days of one result.
  public static let flowDaysMax = 3700

  /// Returns the sources and uses of all customers' currency, day by day.
  ///
  /// The caller specifies the days, since they depend on a time zone. Amounts that move between customers (a transfer,
  /// a merge) count only in their net amount.
  ///
  /// Time grows with the length of the journal up to the last day's end, memory with the number of days.
  ///
  /// - Parameters:
  ///   - boundaries: The start of each day and the end of the last day; ascending.
  ///   - progress: Called with the number of entries read and their total.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `invalid_request` if the boundaries do
  ///   not ascend.
  public func flows(
    between boundaries: [Timestamp], progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(LedgerError) -> Flows {
    let days = try Periods(between: boundaries, limit: Self.flowDaysMax, of: "days")
    return try reading { (snapshot, definitions) throws(LedgerError) -> Flows in
      var sums = FlowSums(periods: days)
      try sums.read(snapshot, progress: progress)
      return try sums.flows(definitions: definitions)
    }
  }
}

/// Adds up the flows.
private struct FlowSums {
  struct Key: Hashable {
    let currency: Int64
    let kind: EntryKind
  }

  struct Sum {
    var inflow: Int64 = 0
    var outflow: Int64 = 0
  }

  private let periods: Periods
  /// The sums before the first day, then those of each day.
  private var days: [[Key: Sum]]

  init(periods: Periods) {
    self.periods = periods
    days = [[Key: Sum]](repeating: [:], count: periods.boundaries.count)
  }

  mutating func read(_ snapshot: any StorageSnapshot, progress: (Int64, Int64) -> Void) throws(LedgerError) {
    let scan = try snapshot.scan()
    let counts = try snapshot.journalCounts()
    let total = if let counts { counts.entries } else { try snapshot.sequences().entry }
    var walk = TransactionWalk(scan)
    var last: EntryNumber = 0
    var count: Int64 = 0
    while true {
      let page = try scan.entries(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { break }
      last = end
      for entry in page {
        guard let transaction = try walk.transaction(of: entry) else { throw .lacksTransaction(entry.transaction) }
        // Numbers without gaps are in the order of time.
        if try !add(entry, at: transaction.createdAt), counts == nil { return progress(total, total) }
      }
      count += Int64(page.count)
      progress(count, max(count, total))
    }
  }

  /// - Returns: Whether it was before the end of the last day.
  private mutating func add(_ entry: EntryRow, at instant: Timestamp) throws(LedgerError) -> Bool {
    let position = periods.position(of: instant)
    guard position < days.count else { return false }
    let key = Key(currency: entry.account.currency, kind: entry.kind)
    if entry.amount >= 0 {
      try days[position][key, default: Sum()].inflow.add(entry.amount)
    } else {
      try days[position][key, default: Sum()].outflow.add(-entry.amount)
    }
    return true
  }

  func flows(definitions: CurrencyDefinitions) throws(LedgerError) -> Flows {
    var outstanding: [CurrencyCode: Int64] = [:]
    var found: [Flows.Day] = []
    for (index, sums) in days.enumerated() {
      var flows: [Flows.Flow] = []
      for (key, sum) in sums {
        guard let currency = definitions.currency(number: key.currency) else { continue }
        try outstanding[currency.code, default: 0].add(sum.inflow - sum.outflow)
        let flow = Flows.Flow(ofAll: currency.code, key.kind, inflow: sum.inflow, outflow: sum.outflow)
        if let flow { flows.append(flow) }
      }
      guard index > 0 else { continue }
      found.append(
        Flows.Day(
          from: periods.boundaries[index - 1], until: periods.boundaries[index],
          flows: flows.sorted(by: Flows.Flow.precedes),
          outstanding: outstanding.filter { $0.value != 0 }))
    }
    return Flows(days: found)
  }
}
