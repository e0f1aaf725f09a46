internal import GemLedger
internal import Synchronization

/// Books a journal like that of a game: mostly spends, with grants, purchases, holds, captures and reversals.
///
/// Time advances with every group, so that periods can be queried.
struct JournalFiller {
  static let begin = Timestamp(milliseconds: 1_700_000_000_000)
  private static let opening: Int64 = 200

  private var workload: Workload
  private let time: ManualTime
  private var commandCount = 0
  // Holds and spends of the previous group, to be captured and reversed.
  private var holds: [HoldID] = []
  private var spends: [TransactionID] = []

  init(_ workload: Workload, time: ManualTime) {
    self.workload = workload
    self.time = time
  }

  /// Makes the catalog and the customers.
  func open(_ ledger: Ledger) throws {
    let gem = try CurrencyCode("GEM")
    let pack = try Product(
      code: ProductCode("pack"), type: .consumable, grants: [Grant(currency: gem, amount: 100, bonus: 20)])
    try ledger.apply(Catalog(currencies: [Currency(code: gem, name: "Gems")], products: [pack]))
    for start in stride(from: 0, to: workload.customers.count, by: Limits.commandsPerGroup) {
      let customers = workload.customers[start..<min(workload.customers.count, start + Limits.commandsPerGroup)]
      let grants = customers.map { LedgerCommand.grant([Adjustment(gem, Self.opening)], customer: $0) }
      for result in ledger.submit(grants) { _ = try result.get() }
    }
  }

  /// Books groups of commands until they have made this many entries.
  mutating func fill(
    _ ledger: Ledger, entries entryCount: Int, groupSize: Int = Limits.commandsPerGroup,
    print: (String) -> Void = { _ in }
  ) throws {
    var entries = 0
    var shown = ContinuousClock.now
    while entries < entryCount {
      time.advance(by: .seconds(60))
      let commands = try (0..<min(groupSize, entryCount - entries)).map { _ in try next() }
      // The remaining holds of the previous group stay open.
      holds.removeAll()
      spends.removeAll()
      for result in ledger.submit(commands) { entries += try learn(result) }
      if ContinuousClock.now - shown > .seconds(20) {
        shown = .now
        print("  filling: \(entries) of \(entryCount) entries")
      }
    }
  }

  private mutating func next() throws -> LedgerCommand {
    commandCount += 1
    let plain = try workload.next()
    let (customer, key) = (plain.customer, plain.key)
    let gem = try CurrencyCode("GEM")
    switch commandCount % 50 {
    case 0..<3:
      let purchase = try StorePurchase(
        store: .apple, environment: .production,
        transactionID: StoreTransactionID("\(customer)-\(commandCount)"), product: ProductCode("pack"),
        price: Money(minorUnits: 99, currency: "USD"), purchasedAt: time.now)
      return .creditPurchase(purchase, customer: customer)
    case 3..<9: return .adjust([Adjustment(gem, 10)], customer: customer, key: key)
    case 9: return .hold([Adjustment(gem, 5)], customer: customer, key: key)
    case 10: if let hold = holds.popLast() { return .capture(hold, key: key) }
    case 11: if let spend = spends.popLast() { return .reverse(spend, key: key) }
    default: break
    }
    var spend = LedgerCommand.adjust([Adjustment(gem, -5)], customer: customer, key: key)
    if commandCount % 5 == 0 { spend.reference = try Reference("level-\(commandCount % 1000)") }
    return spend
  }

  /// - Returns: The number of entries that the command made.
  private mutating func learn(_ result: Result<Booking, LedgerError>) throws -> Int {
    let booking: Booking
    do {
      booking = try result.get()
    } catch  where error.code == .insufficientBalance {
      return 0
    }
    if booking.kind == .hold, let hold = booking.hold?.id { holds.append(hold) }
    if booking.kind == .spend, let id = booking.transactionID { spends.append(id) }
    return booking.entries.count
  }
}

/// A clock that advances only by hand.
final class ManualTime: Sendable {
  private let milliseconds = Atomic(JournalFiller.begin.milliseconds)

  var now: Timestamp { Timestamp(milliseconds: milliseconds.load(ordering: .relaxed)) }
  var clock: LedgerClock { LedgerClock { self.now } }

  func advance(by duration: Duration) {
    milliseconds.wrappingAdd(duration.components.seconds * 1000, ordering: .relaxed)
  }
}
