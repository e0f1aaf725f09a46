package import GemLedger
package import GemLedgerArchive
internal import GemLedgerAudit
internal import XCTest

/// The requirements on an export and its import; each pair of storages calls ``runAll()``.
package struct ExportContract {
  package typealias OpenTarget = (JournalImport.Head, _ name: String) throws -> any LedgerStorage

  private let generator = SeededRandom()
  private let time = ManualClock()
  private let make: (LedgerClock) throws -> Ledger
  private let open: (LedgerClock) throws -> Ledger
  /// Makes the storage of that name, or opens the one that an import left.
  private let openTarget: OpenTarget
  private let openResult: (LedgerClock, _ name: String) throws -> Ledger
  /// Whether both storages give their rows in the same order and number alike.
  private let areAlike: Bool
  /// Whether the rows of an interrupted import outlive it.
  private let isKept: Bool

  package init(
    make: @escaping (LedgerClock) throws -> Ledger, open: @escaping (LedgerClock) throws -> Ledger,
    openTarget: @escaping OpenTarget, openResult: @escaping (LedgerClock, String) throws -> Ledger,
    areAlike: Bool = true, isKept: Bool = true
  ) {
    self.isKept = isKept
    self.make = make
    self.open = open
    self.openTarget = openTarget
    self.openResult = openResult
    self.areAlike = areAlike
  }

  package func runAll() throws {
    try RichJournal.fill(generator, time, make: make, open: open)
    let source = try open(time.clock)
    let before = try LedgerState(source)
    let base = try Exported(source)
    try importInterrupted(base, "one")
    try goOn(source)
    let increment = try Exported(source, after: base.summary.cursor)
    let whole = try Exported(source)
    XCTAssertEqual(whole.summary.transactions, base.summary.transactions + increment.summary.transactions)
    XCTAssertEqual(whole.summary.entries, base.summary.entries + increment.summary.entries)
    try compare("one", base, before)
    let after = try LedgerState(source)
    try importInterrupted(increment, "one")
    try compare("one", whole, after)
    try run(whole, "two")
    try compare("two", whole, after)
    try answersAgain(try openResult(time.clock, "two"))
    try nothingIsNew(source, whole)
    try refuseWhatDoesNotFit(increment, whole)
    source.close()
  }

  // MARK: Steps

  /// Books spends, purchases, refunds, merges and changes of the catalog after the first export.
  private func goOn(_ ledger: Ledger) throws {
    let zoe = try Make.customer("zoe")
    time.advance(seconds: 60)
    try ledger.unfreeze(zoe)
    try ledger.creditPurchase(Make.purchase("still-to-come"), customer: zoe)
    try ledger.refund(Make.refund("yans"))
    try ledger.grant([Make.amount("GEM", 5)], customer: Make.customer("newcomer"), key: Make.key("later"))
    try ledger.merge(from: Make.customer("newcomer"), into: zoe)
    try ledger.book(.createAlias(Make.customer("zoe-again"), of: zoe))
    assertRefused(.insufficientBalance) {
      try ledger.spend([Make.amount("GEM", 9_000_000)], customer: zoe, key: Make.key("later-refusal"))
    }
    try ledger.book(.openOrder(RichJournal.opening("ORDER-2", key: "later-order"), customer: zoe))
    try ledger.book(.registerToken(TokenNumber(high: 3, low: 4), customer: zoe))
    for index in 0..<70 {
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("many"), key: Make.key("many-\(index)"))
    }
    try ledger.define(Currency(code: CurrencyCode("LATE"), name: "Late"))
    try ledger.grant([Make.amount("LATE", 1)], customer: zoe)
  }

  private func run(_ export: Exported, _ name: String) throws {
    let text = JournalImport(ImportBytes(export.bytes), clock: time.clock)
    let target = try openTarget(try text.head(), name)
    let books = try text.run(into: target)
    XCTAssertTrue(books.isOK)
    target.close()
  }

  /// Each try goes a few commits further than the one before it.
  private func importInterrupted(_ export: Exported, _ name: String) throws {
    guard isKept else { return try run(export, name) }
    let text = JournalImport(ImportBytes(export.bytes), clock: time.clock)
    for tries in 0..<100 {
      let target = try openTarget(try text.head(), name)
      let interrupted = InterruptedStorage(target, afterCommits: 1)
      let result = Self.result { () throws(LedgerError) in try text.run(into: interrupted) }
      target.close()
      if case .failure(let error) = result, error.message == "Killed." {
        assertRefused(.storageUnavailable) { try openResult(time.clock, name) }
        continue
      }
      XCTAssertTrue(try result.get().isOK, "seed \(generator.seed)")
      XCTAssertGreaterThanOrEqual(tries, 2)
      return
    }
    XCTFail("the import never came to its end")
  }

  private static func result<R>(_ body: () throws(LedgerError) -> R) -> Result<R, LedgerError> {
    do throws(LedgerError) { return .success(try body()) } catch { return .failure(error) }
  }

  private func compare(_ name: String, _ expected: Exported, _ state: LedgerState) throws {
    let ledger = try openResult(time.clock, name)
    XCTAssertEqual(try LedgerState(ledger), state, "seed \(generator.seed)")
    let exported = try Exported(ledger)
    if areAlike {
      XCTAssertEqual(exported.bytes, expected.bytes, "seed \(generator.seed)")
    } else {
      XCTAssertEqual(exported.inner, expected.inner, "seed \(generator.seed)")
    }
    ledger.close()
  }

  private func answersAgain(_ ledger: Ledger) throws {
    let zoe = try Make.customer("zoe")
    XCTAssertTrue(try ledger.spend([Make.amount("GEM", 70)], customer: zoe, key: Make.key("copied-spend")).isReplayed)
    for key in ["copied-refusal", "later-refusal"] {
      let amount: Int64 = key == "copied-refusal" ? 10_000_000 : 9_000_000
      let error = assertRefused(.insufficientBalance) {
        try ledger.spend([Make.amount("GEM", amount)], customer: zoe, key: Make.key(key))
      }
      XCTAssertEqual(error?.isReplayed, true)
    }
    XCTAssertTrue(try ledger.creditPurchase(Make.purchase("copied", quantity: 2), customer: zoe).isReplayed)
    // It goes on as any other ledger.
    try ledger.creditPurchase(Make.purchase("later-still"), customer: zoe)
    try ledger.refund(Make.refund("later-still"))
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  private func nothingIsNew(_ ledger: Ledger, _ whole: Exported) throws {
    let empty = try Exported(ledger, after: whole.summary.cursor)
    XCTAssertEqual(empty.summary.transactions, 0)
    XCTAssertEqual(empty.summary.cursor, whole.summary.cursor)
    XCTAssertTrue(empty.inner.allSatisfy { $0.contains("\"type\":\"customer\"") }, "\(empty.inner)")
  }

  /// Refuses an increment twice, an increment without its base, and a whole journal on top of another.
  private func refuseWhatDoesNotFit(_ increment: Exported, _ whole: Exported) throws {
    assertRefused(.invalidImport) { try run(increment, "one") }
    assertRefused(.alreadyExists) {
      let text = JournalImport(ImportBytes(whole.bytes), clock: time.clock)
      let target = try openTarget(
        JournalImport.Head(project: try text.head().project, isWhole: false), "one")
      defer { target.close() }
      try text.run(into: target)
    }
  }
}

/// An export in memory.
package struct Exported {
  package var bytes: [UInt8] = []
  package var summary: ExportSummary

  package init(_ ledger: Ledger, after cursor: ExportCursor? = nil) throws {
    let gathered = Gathered()
    summary = try ledger.export(after: cursor) { gathered.bytes += $0 }
    bytes = gathered.bytes
  }

  private final class Gathered {
    var bytes: [UInt8] = []
  }

  package var lines: [String] {
    bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  /// All lines but the first and the last, in an order that depends on nothing else.
  package var inner: [String] { lines.dropFirst().dropLast().sorted() }
}
