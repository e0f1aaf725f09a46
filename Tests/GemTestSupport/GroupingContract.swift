internal import XCTest

@testable package import GemLedger

/// Commands give the same answers and the same books one by one and in groups.
///
/// Two ledgers get the same commands at the same instants: one alone, the other together.
package struct GroupingContract {
  private let time = ManualClock()
  private let alone: Ledger
  private let together: Ledger
  private var generator: SeededRandom
  private let people: [CustomerID]
  private var holds: [HoldID] = []

  package init(generator: SeededRandom, make: (LedgerClock) throws -> Ledger) throws {
    self.generator = generator
    (alone, together) = (try make(time.clock), try make(time.clock))
    people = try ["alice", "bob", "carol"].map(Make.customer)
  }

  /// Runs so many groups.
  package mutating func run(_ count: Int) throws {
    let catalog = try Catalog.load(Array(Self.catalog.utf8))
    for ledger in [alone, together] { try ledger.apply(catalog) }
    for step in 0..<count {
      time.advance(seconds: generator.one(of: [1, 5, 60, 600, 3600, 90_000]))
      let commands = try (0..<(1 + generator.below(8))).map { _ in try command() }
      let single = commands.map { command in Result { try alone.book(command) } }
      let grouped = together.submit(commands).map { answer in answer.mapError { $0 as any Error } }
      for (index, pair) in zip(single, grouped).enumerated() {
        let (one, other) = (Self.text(pair.0), Self.text(pair.1))
        XCTAssertEqual(one, other, "seed \(generator.seed), group \(step), command \(index): \(commands[index])")
        guard one == other else { return }
        if case .success(let booking) = pair.0, let hold = booking.hold?.id { holds.append(hold) }
      }
    }
    XCTAssertEqual(try LedgerState(alone), try LedgerState(together), "seed \(generator.seed)")
    for ledger in [alone, together] { ledger.close() }
  }

  private static func text(_ answer: Result<Booking, any Error>) -> String {
    switch answer {
    case .success(let booking): "\(booking)"
    case .failure(let error): "\(error)"
    }
  }

  private mutating func command() throws -> LedgerCommand {
    let customer = generator.one(of: people)
    let codes = generator.one(of: [["GEM"], ["COIN"], ["GEM", "COIN"]])
    let amounts = try codes.map { try Make.amount($0, Int64(1 + generator.below(60))) }
    let key = generator.percent(40) ? try Make.key("k\(generator.below(40))") : nil
    switch generator.below(10) {
    case 0, 1: return .grant(amounts, customer: customer, key: key)
    case 2:
      let end = time.now.advanced(by: .seconds(generator.one(of: [1, 30, 4000])))
      return .grant(amounts, customer: customer, key: key, expiresAt: end)
    case 3, 4: return try .spend(amounts, customer: customer, key: key)
    case 5: return .hold(amounts, customer: customer, for: .seconds(generator.one(of: [2, 60, 5000])), key: key)
    case 6: return holds.isEmpty ? .bookDue(customer) : .capture(generator.one(of: holds), key: key)
    case 7: return holds.isEmpty ? .bookDue(customer) : .release(generator.one(of: holds), key: key)
    case 8: return .transfer(amounts, from: customer, to: generator.one(of: people), key: key)
    default: return .bookDue(customer)
    }
  }

  private static let catalog = """
    {"currencies": [
      {"code": "GEM", "name": "Gems", "allowance": {"amount": 7, "per": "day"}},
      {"code": "COIN", "name": "Coins", "initial_balance": 9, "recharge": {"amount": 1, "every": "1h", "up_to": 20}}
    ]}
    """
}
