internal import Foundation
internal import GemLedger
internal import GemLedgerAudit
internal import GemLedgerSQLite

extension SubjectBench {
  /// Measures the same pages of two customers, one with many entries and one with few: a page must cost the same for
  /// both.
  func pages() throws {
    let many = settings.entryCount ?? 1_000_000
    let few = min(1000, many)
    let files = try LedgerFiles(directory: settings.directory, customerCount: 2)
    defer { files.remove() }
    let time = ManualTime()
    let filled = try Ledger.createSQLite(at: files.newPath(), clock: time.clock)
    defer { filled.close() }
    var histories: [History] = []
    for (customers, count) in [(0, few), (1, many)] {
      let customer = try CustomerID("customer-\(customers)")
      histories.append(try History(of: customer, in: filled, time, entries: count))
    }
    for kind in History.Page.allCases {
      let measurement = try Measurement(
        histories.map { PageBenchmark($0, kind, operationCount: settings.operationCount ?? 500) },
        rounds: settings.rounds)
      show(measurement)
      print("    cost ratio, many to few: \(Figure.ratio(measurement.costRatio(of: 1, to: 0)))")
    }
  }
}

/// The entries of one customer, and the position of their middle.
private struct History {
  enum Page: String, CaseIterable {
    case explainFirst = "explain, first page"
    case explainMiddle = "explain, a page in the middle"
    case statementFirst = "statement, first page"
    case statementMiddle = "statement, a page in the middle"
    case statementOfPeriod = "statement of an hour in the middle"
  }

  /// The number of entries on a page.
  static let limit = 100

  let ledger: Ledger
  let customer: CustomerID
  let count: Int
  private let gem: CurrencyCode
  private let from: Timestamp
  private let until: Timestamp
  private var explanationCursor: PageCursor?
  private var statementCursor: PageCursor?

  init(of customer: CustomerID, in ledger: Ledger, _ time: ManualTime, entries count: Int) throws {
    (self.ledger, self.customer, self.count) = (ledger, customer, count)
    gem = try CurrencyCode("GEM")
    var filler = JournalFiller(Workload(customers: [customer]), time: time)
    try filler.open(ledger)
    let begin = time.now
    try filler.fill(ledger, entries: count, groupSize: 100)
    let middle = (begin.milliseconds + time.now.milliseconds) / 2
    (from, until) = (Timestamp(milliseconds: middle), Timestamp(milliseconds: middle + 3_600_000))
    for _ in 0..<count / 2 / Limits.historyPage + 1 {
      let limit = min(Limits.historyPage, max(1, count / 2))
      explanationCursor = try ledger.explain(gem, customer: customer, limit: limit, after: explanationCursor).next
      statementCursor = try ledger.statement(of: customer, limit: limit, after: statementCursor).next
    }
  }

  /// - Returns: The number of entries on the page.
  func read(_ page: Page) throws -> Int {
    switch page {
    case .explainFirst: try ledger.explain(gem, customer: customer, limit: Self.limit).entries.count
    case .explainMiddle:
      try ledger.explain(gem, customer: customer, limit: Self.limit, after: explanationCursor).entries.count
    case .statementFirst: try ledger.statement(of: customer, limit: Self.limit).lines.count
    case .statementMiddle: try ledger.statement(of: customer, limit: Self.limit, after: statementCursor).lines.count
    case .statementOfPeriod:
      try ledger.statement(of: customer, from: from, until: until, limit: Self.limit).lines.count
    }
  }
}

private final class PageBenchmark: Benchmark {
  let name: String
  let operationCount: Int
  private let history: History
  private let page: History.Page

  init(_ history: History, _ page: History.Page, operationCount: Int) {
    name = "\(page.rawValue), \(history.count) entries"
    self.history = history
    self.page = page
    self.operationCount = operationCount
  }

  func prepare(_ count: Int) {}

  func run() throws -> UInt64 {
    var lines: UInt64 = 0
    for _ in 0..<operationCount { lines += UInt64(try history.read(page)) }
    return lines
  }
}
