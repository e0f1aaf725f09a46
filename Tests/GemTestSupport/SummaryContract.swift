internal import Dispatch
package import GemLedger
internal import GemLedgerAudit
import XCTest

/// The stored summary equals the reports from the whole journal, on any storage.
package struct SummaryContract {
  private let make: (LedgerClock) throws -> Ledger
  private let time = ManualClock()

  /// The closure makes an empty ledger over the storage.
  package init(make: @escaping (LedgerClock) throws -> Ledger) { self.make = make }

  package func runAll() throws {
    let run = ContractRun(Self.self)
    run.step("testEqualsTheReportsAfterAnyCommands", testEqualsTheReportsAfterAnyCommands)
    run.step("testContinuesAnInterruptedBuild", testContinuesAnInterruptedBuild)
    run.step("testConcurrentRefreshesCountNothingTwice", testConcurrentRefreshesCountNothingTwice)
    run.step("testForgetsOldActivity", testForgetsOldActivity)
    run.step("testReportsAnEditedDocument", testReportsAnEditedDocument)
  }

  // MARK: Random streams

  /// Refreshes of random length at random times, some with so small a bound that the accounts are read again.
  func testEqualsTheReportsAfterAnyCommands() throws {
    for _ in 0..<Tier.current.length(2, thorough: 4) {
      let ledger = try make(time.clock)
      try ledger.apply(EconomyStream.catalog())
      var stream = EconomyStream(generator: SeededRandom())
      for _ in 0..<Tier.current.length(400, thorough: 1000) {
        try act(ledger, &stream)
        guard stream.generator.percent(8) else { continue }
        let keeper = SummaryKeeper(ledger, transactionsMax: stream.generator.percent(10) ? 3 : 10_000)
        _ = try keeper.refresh(limit: 1 + stream.generator.below(60))
        if stream.generator.percent(10) { try compare(ledger, stream.generator.seed) }
      }
      try compare(ledger, stream.generator.seed)
      try assertBooksAddUp(ledger)
      ledger.close()
    }
  }

  private func act(_ ledger: Ledger, _ stream: inout EconomyStream) throws {
    let isLong = stream.generator.percent(4)
    time.advance(seconds: Int64(stream.generator.below(isLong ? 300_000 : 60)))
    let command = try stream.command(now: time.now)
    if case .success(let booking) = Result(catching: { try ledger.book(command) }) { stream.heard(booking) }
  }

  /// Refreshes to the end and compares with the reports.
  private func compare(_ ledger: Ledger, _ seed: UInt64, line: UInt = #line) throws {
    // The reports treat due expiries as booked.
    try ledger.sweep()
    let summary = try refreshed(ledger)
    let text = "seed \(seed), line \(line)"
    XCTAssertEqual(summary.progress, 1, text)
    for books in try ledger.verify().currencies {
      let currency = summary.currencies.first { $0.currency == books.currency }
      XCTAssertEqual(currency?.outstanding ?? 0, books.outstanding, "\(text): \(books.currency)")
      XCTAssertEqual(currency?.held ?? 0, books.held, "\(text): held \(books.currency)")
      XCTAssertEqual(currency?.debt ?? 0, books.debt, "\(text): debt \(books.currency)")
    }
    XCTAssertEqual(Parts(summary), Parts(try ledger.unspent()), text)
    let hour: Int64 = 3_600_000
    try compare(summary.days, in: ledger, count: 31, milliseconds: 24 * hour, text)
    try compare(summary.hours, in: ledger, count: 48, milliseconds: hour, text)
  }

  private func compare(
    _ shown: [EconomySummary.Activity], in ledger: Ledger, count: Int64, milliseconds: Int64, _ text: String
  ) throws {
    let now = try ledger.storage.read { (snapshot) throws(LedgerError) in try ledger.clock.now(in: snapshot) }
    let last = now.milliseconds / milliseconds
    let boundaries = (last - count + 1...last + 1).map { Timestamp(milliseconds: $0 * milliseconds) }
    let flows = try ledger.flows(between: boundaries).days
    for day in flows {
      XCTAssertEqual(shown.first { $0.from == day.from }?.flows ?? [], day.flows, "\(text): \(day.from)")
    }
    var counted: [Timestamp: Counts] = [:]
    var cursor: FeedCursor?
    repeat {
      let page = try ledger.feed(after: cursor, limit: 1000)
      for event in page.events {
        let from = Timestamp(milliseconds: event.record.booking.createdAt.milliseconds / milliseconds * milliseconds)
        counted[from, default: Counts()].add(event.record)
      }
      cursor = page.hasMore ? page.next : nil
    } while cursor != nil
    XCTAssertEqual(
      Dictionary(uniqueKeysWithValues: shown.map { ($0.from, Counts($0)) }),
      counted.filter { boundaries.contains($0.key) }, text)
  }

  private func refreshed(_ ledger: Ledger) throws -> EconomySummary {
    var summary = try SummaryKeeper(ledger).refresh()
    for _ in 0..<1000 {
      let next = try SummaryKeeper(ledger).refresh()
      if next.isComplete, next == summary { break }
      summary = next
    }
    XCTAssertEqual(try SummaryKeeper(ledger).current(), summary)
    return summary
  }

  // MARK: Stories

  func testContinuesAnInterruptedBuild() throws {
    let ledger = try make(time.clock)
    try ledger.apply(EconomyStream.catalog())
    XCTAssertNil(try SummaryKeeper(ledger).current())
    var stream = EconomyStream(generator: SeededRandom())
    for _ in 0..<200 { try act(ledger, &stream) }
    var progress: [Double] = []
    var hasBooked = false
    var summary: EconomySummary
    repeat {
      // A new keeper each time, as after a restart; bookings in between.
      summary = try SummaryKeeper(ledger).refresh(limit: 7)
      // Bookings in between make what is left longer, so the completed part may fall after them.
      if !hasBooked { XCTAssertGreaterThanOrEqual(summary.progress, progress.last ?? 0) }
      progress.append(summary.progress)
      XCTAssertEqual(summary.isComplete, summary.progress == 1)
      if !summary.isComplete { XCTAssertEqual(summary.currencies, []) }
      hasBooked = progress.count % 3 == 0
      if hasBooked { try act(ledger, &stream) }
    } while !summary.isComplete && progress.count < 1000
    XCTAssertGreaterThan(progress.count, 10)
    try compare(ledger, stream.generator.seed)
    ledger.close()
  }

  func testConcurrentRefreshesCountNothingTwice() throws {
    let ledger = try make(time.clock)
    try ledger.apply(EconomyStream.catalog())
    let customer = try Make.customer("alice")
    try ledger.grant([Make.amount("GEM", 1)], customer: customer)
    DispatchQueue.concurrentPerform(iterations: 6) { worker in
      for round in 0..<10 {
        do {
          if worker < 2 {
            try ledger.creditPurchase(
              Make.purchase("t\(worker).\(round)", product: "gems", price: Money(minorUnits: 100, currency: "EUR")),
              customer: customer)
          } else {
            _ = try SummaryKeeper(ledger).refresh(limit: 3)
          }
        } catch {
          XCTFail("\(error)")
        }
      }
    }
    let summary = try refreshed(ledger)
    XCTAssertEqual(summary.days.flatMap(\.purchases).map(\.count), [20])
    XCTAssertEqual(summary.days.flatMap(\.purchases).map(\.price), [Money(minorUnits: 2000, currency: "EUR")])
    let values = summary.currencies.flatMap(\.environments).flatMap(\.values)
    XCTAssertEqual(values.map(\.units), [2000])
    XCTAssertEqual(values.map(\.price), [Money(minorUnits: 2000, currency: "EUR")])
    ledger.close()
  }

  func testForgetsOldActivity() throws {
    let ledger = try make(time.clock)
    try ledger.apply(EconomyStream.catalog())
    let customer = try Make.customer("alice")
    for day in 0..<40 {
      if day > 0 { time.advance(seconds: 86_400) }
      try ledger.grant([Make.amount("GEM", 1)], customer: customer)
      _ = try SummaryKeeper(ledger).refresh()
    }
    let summary = try refreshed(ledger)
    XCTAssertEqual(summary.days.count, 31)
    XCTAssertEqual(summary.hours.count, 2)
    XCTAssertEqual(summary.currencies.map(\.outstanding), [40])
    // One for the progress and one for the currency.
    XCTAssertEqual(try ledger.documents.page(withPrefix: "economy_summary").count, 31 + 2 + 2)
    time.advance(seconds: 31 * 86_400)
    XCTAssertEqual(try SummaryKeeper(ledger).current()?.days, [])
    ledger.close()
  }

  func testReportsAnEditedDocument() throws {
    let ledger = try make(time.clock)
    try ledger.apply(EconomyStream.catalog())
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    _ = try SummaryKeeper(ledger).refresh()
    for document in try ledger.documents.page(withPrefix: "economy_summary") {
      let edited = try ledger.documents.save(document.name, content: "{\"a\": 1}", replacing: document.version)
      assertRefused(.storageDamaged) { try SummaryKeeper(ledger).current() }
      try ledger.documents.save(document.name, content: document.content, replacing: edited.version)
    }
    XCTAssertEqual(try SummaryKeeper(ledger).refresh().currencies.map(\.outstanding), [1])
    ledger.close()
  }
}

/// Amounts by environment and currency.
private struct Parts: Equatable {
  private var amounts: [String: Int64] = [:]

  private mutating func add(
    _ environment: String, _ currency: CurrencyCode, paid: Int64, free: Int64, _ values: [Unspent.Value]
  ) {
    amounts["\(environment) \(currency) paid", default: 0] += paid
    amounts["\(environment) \(currency) free", default: 0] += free
    for value in values {
      let name = "\(environment) \(currency) \(value.price?.currency ?? "unknown")"
      amounts["\(name) units", default: 0] += value.units
      amounts["\(name) value", default: 0] += value.price?.minorUnits ?? 0
    }
  }

  init(_ unspent: Unspent) {
    for part in unspent.parts {
      add(part.environment.description, part.currency, paid: part.paid, free: part.free, part.values)
    }
    amounts = amounts.filter { $0.value != 0 }
  }

  init(_ summary: EconomySummary) {
    for currency in summary.currencies {
      for part in currency.environments {
        add(part.environment, currency.currency, paid: part.paid, free: part.free, part.values)
      }
    }
    amounts = amounts.filter { $0.value != 0 }
  }
}

/// The numbers of transactions and purchases.
private struct Counts: Equatable {
  private var transactions: [EntryKind: Int64] = [:]
  private var purchases: [String: Int64] = [:]

  init() {}

  init(_ activity: EconomySummary.Activity) {
    transactions = activity.transactions
    for purchase in activity.purchases {
      let name = "\(purchase.environment) \(purchase.price?.currency ?? "")"
      purchases["\(name) count"] = purchase.count
      purchases["\(name) price"] = purchase.price?.minorUnits ?? 0
    }
  }

  mutating func add(_ record: HistoryRecord) {
    transactions[record.booking.kind, default: 0] += 1
    guard record.booking.kind == .purchase, let purchase = record.purchase else { return }
    let name = "\(purchase.environment) \(purchase.price?.currency ?? "")"
    purchases["\(name) count", default: 0] += 1
    purchases["\(name) price", default: 0] += purchase.price?.minorUnits ?? 0
  }
}
