import GemLedger
import GemTestSupport
import XCTest

/// No short path leaves a customer with the money and the gems.
///
/// After one purchase of ten units, every path of up to five steps is walked to its end, under each refund policy. The
/// steps are hold, capture, release, spend, reverse, refund, its reversal, and transfer to another customer. Three more
/// are a merge into a new customer, a merge with the receiver of a transfer, and a clock past the hold's deadline.
/// After every step, the balance is compared with an account kept by hand.
///
/// The property: while the purchase is refunded, the buyer has nothing available. The part that the refund did not take
/// is exactly the sum of three amounts: spent and not given back, now with another customer, and on hold. Under `debt`
/// this part is owed to the unit; under `floor` and `freeze` it is written off (and freezes). Currency that comes back
/// later, by a release, a deadline, a reversal or a merge, is taken at once. While the purchase is not refunded, the
/// buyer has all that is not spent, held or given away, however often it was refunded in between.
///
/// The exception: currency that was transferred away before the refund stays with its receiver, as long as that
/// customer and the buyer are two.
final class MoneyAndGemsTests: XCTestCase {
  func testNoShortPathLeavesMoneyAndGems() throws {
    for (code, product, policy) in [
      ("FLOOR", "floors", Policy.floor), ("DEBT", "debts", .debt), ("FREEZE", "freezes", .freeze),
    ] {
      let paths = Path.all(length: 5, policy)
      XCTAssertGreaterThan(paths.count, 2000)
      try walk(Tier.current.items(500, of: paths), code, product, policy)
    }
  }

  private func walk(_ paths: [Path], _ code: String, _ product: String, _ policy: Policy) throws {
    let time = ManualClock()
    let ledger = Ledger.inMemory(clock: time.clock, salt: 1)
    try ledger.apply(Catalog.load(Array(Self.catalog.utf8)))
    let currency = try CurrencyCode(code)
    var walkers = try paths.enumerated().map { try Walker($1, number: $0, currency, product) }
    for answer in ledger.submit(try walkers.map { try $0.purchase() }) { _ = try answer.get() }
    for answer in ledger.submit(walkers.map { LedgerCommand.createCustomer($0.friend) }) { _ = try answer.get() }
    for step in 0..<5 {
      // Holds that are to end by themselves end in between.
      time.advance(seconds: Walker.secondsPerStep)
      let asked = walkers.indices.filter { step < walkers[$0].path.steps.count }
      let commands = try asked.map { try walkers[$0].command(step) }
      for (index, answer) in zip(asked, ledger.submit(commands)) {
        do {
          let booking = try answer.get()
          walkers[index].heard(booking, step)
        } catch {
          XCTFail("\(walkers[index].path) step \(step): \(error)")
          return
        }
      }
      for index in asked {
        guard try isAsReckoned(walkers[index], after: step, ledger, policy) else { return }
      }
    }
    try assertBooksAddUp(ledger)
  }

  private func isAsReckoned(_ walker: Walker, after step: Int, _ ledger: Ledger, _ policy: Policy) throws -> Bool {
    let expected = walker.path.expected[step]
    let found = try ledger.balance(of: walker.currency, customer: walker.buyer)
    let friend = try ledger.balance(of: walker.currency, customer: walker.friend)
    let isRight =
      [found.available, found.held, found.debt] == [expected.available, expected.held, expected.debt(policy)]
      && (expected.hasJoined || friend.balance == expected.away)
      && (!expected.isRefunded || found.available == 0)
    if !isRight {
      XCTFail(
        "\(policy) \(walker.path.steps[...step]): available \(found.available), held \(found.held), owed "
          + "\(found.debt), with the friend \(friend.balance); by hand \(expected)")
    }
    return isRight
  }

  private static let catalog = """
    {
      "currencies": [
        {"code": "FLOOR", "name": "Floor"}, {"code": "DEBT", "name": "Debt", "refund_policy": "debt"},
        {"code": "FREEZE", "name": "Freeze", "refund_policy": "freeze"}
      ],
      "products": [
        {"code": "floors", "type": "consumable", "grants": [{"currency": "FLOOR", "amount": 10}]},
        {"code": "debts", "type": "consumable", "grants": [{"currency": "DEBT", "amount": 10}]},
        {"code": "freezes", "type": "consumable", "grants": [{"currency": "FREEZE", "amount": 10}]}
      ]
    }
    """
}

private enum Policy { case floor, debt, freeze }

private enum Step: CaseIterable {
  case hold, capture, release, deadline, spend, reverse, refund, reverseRefund, transfer, merge, join
}

/// The expected state of the ten units, kept by hand.
private struct ExpectedUnits {
  static let bought: Int64 = 10
  static let part: Int64 = 4
  static let gift: Int64 = 3

  var available = bought
  var held: Int64 = 0
  var spends: Int64 = 0
  var away: Int64 = 0
  var isRefunded = false
  var isMerged = false
  var hasJoined = false

  /// The units that no refund can take.
  private var gone: Int64 { spends * Self.part + held + away }

  func debt(_ policy: Policy) -> Int64 { policy == .debt && isRefunded ? gone : 0 }

  /// The state after a step; nil where the step makes no sense or would be refused.
  func after(_ step: Step, _ policy: Policy) -> ExpectedUnits? {
    var next = self
    let isFrozen = policy == .freeze && isRefunded && gone > 0
    switch step {
    case .hold where held == 0 && available >= Self.part && !isFrozen: (next.available, next.held) = (available - 4, 4)
    case .capture where held > 0: (next.spends, next.held) = (spends + 1, 0)
    case .release where held > 0, .deadline where held > 0:
      next.held = 0
      if !isRefunded { next.available += held }
    case .spend where available >= Self.part && !isFrozen:
      (next.available, next.spends) = (available - Self.part, spends + 1)
    case .reverse where spends > 0:
      next.spends -= 1
      if !isRefunded { next.available += Self.part }
    case .refund where !isRefunded: (next.available, next.isRefunded) = (0, true)
    case .reverseRefund where isRefunded:
      next.isRefunded = false
      next.available = Self.bought - gone
    case .transfer where available >= Self.gift && !isFrozen && !hasJoined:
      (next.available, next.away) = (available - Self.gift, away + Self.gift)
    case .merge where !isMerged: next.isMerged = true
    case .join where away > 0 && !hasJoined:
      (next.away, next.hasJoined) = (0, true)
      // It repays the debt for it, or goes to the part that the refund wrote off.
      if !isRefunded { next.available += away }
    default: return nil
    }
    return next
  }
}

private struct Path: CustomStringConvertible {
  let steps: [Step]
  let expected: [ExpectedUnits]

  var description: String { "\(steps)" }

  /// All that cannot be made longer, or are of the length.
  static func all(length: Int, _ policy: Policy) -> [Path] {
    var found: [Path] = []
    func go(_ units: ExpectedUnits, _ path: Path) {
      var next: [(Step, ExpectedUnits)] = []
      for step in Step.allCases where path.steps.count < length {
        if let units = units.after(step, policy) { next.append((step, units)) }
      }
      if next.isEmpty { found.append(path) }
      for (step, units) in next {
        go(units, Path(steps: path.steps + [step], expected: path.expected + [units]))
      }
    }
    go(ExpectedUnits(), Path(steps: [], expected: []))
    return found
  }
}

/// Walks a path with customers of its own.
private struct Walker {
  static let secondsPerStep: Int64 = 10

  let path: Path
  let currency: CurrencyCode
  let buyer: CustomerID
  let friend: CustomerID
  private let number: Int
  private let product: String
  private var hold: HoldID?
  private var spends: [TransactionID] = []

  init(_ path: Path, number: Int, _ currency: CurrencyCode, _ product: String) throws {
    (self.path, self.number, self.currency, self.product) = (path, number, currency, product)
    buyer = try Make.customer("buyer \(number)")
    friend = try Make.customer("friend \(number)")
  }

  func purchase() throws -> LedgerCommand {
    .creditPurchase(try Make.purchase("t\(number)", product: product), customer: buyer)
  }

  func command(_ step: Int) throws -> LedgerCommand {
    // Each refund has a date of its own, and each notice is newer than the one before it.
    let (part, date) = (Adjustment(currency, ExpectedUnits.part), Int64(100 + step))
    switch path.steps[step] {
    case .hold: return .hold([part], customer: buyer, for: lifetime(of: step))
    case .capture: return .capture(try XCTUnwrap(hold))
    case .release: return .release(try XCTUnwrap(hold))
    // Every other one is left for the next command to find.
    case .deadline: return number % 2 == 0 ? .bookDue(buyer) : .createCustomer(buyer)
    case .spend: return try .spend([part], customer: buyer)
    case .reverse: return .reverse(try XCTUnwrap(spends.last))
    case .refund: return .refund(try Make.refund("t\(number)", revokedAt: date, signedAt: date))
    case .reverseRefund: return .reverseRefund(try Make.reversal("t\(number)", signedAt: date))
    case .transfer: return .transfer([Adjustment(currency, ExpectedUnits.gift)], from: buyer, to: friend)
    case .merge: return .merge(from: buyer, into: try Make.customer("new \(number)"))
    case .join: return .merge(from: friend, into: buyer)
    }
  }

  mutating func heard(_ booking: Booking, _ step: Int) {
    switch path.steps[step] {
    case .hold: hold = booking.hold?.id
    case .spend, .capture: if let id = booking.transactionID { spends.append(id) }
    case .reverse: spends.removeLast()
    default: break
    }
  }

  /// Until just before the step that waits for its end.
  private func lifetime(of step: Int) -> Duration {
    let later = path.steps[(step + 1)...]
    let end = later.firstIndex { $0 == .deadline || $0 == .capture || $0 == .release }
    guard let end, path.steps[end] == .deadline else { return .seconds(3600) }
    return .seconds(Int64(end - step) * Self.secondsPerStep - 5)
  }
}
