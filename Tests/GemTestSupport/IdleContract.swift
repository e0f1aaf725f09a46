import XCTest

@testable package import GemLedger

/// A refused command, a sweep or a read changes no balance, at no instant.
///
/// Ledgers get the same commands and the same catalogs at the same instants, and differ in what changes nothing.
package struct IdleContract {
  private enum Act: CaseIterable {
    case nothing, refusedSpend, refusedGroup, sweep, look
  }

  private let time = ManualClock()
  private let ledgers: [(act: Act, ledger: Ledger)]
  private var generator: SeededRandom
  private let gem: CurrencyCode
  private let people: [CustomerID]
  private var told: [String] = []
  private var looked: [(at: Timestamp, balances: [Int64])] = []

  package init(generator: SeededRandom, make: (LedgerClock) throws -> Ledger) throws {
    self.generator = generator
    gem = try CurrencyCode("GEM")
    people = try ["alice", "bob"].map(Make.customer)
    let clock = time.clock
    ledgers = try Act.allCases.map { ($0, try make(clock)) }
  }

  /// Runs so many steps, up to the first difference.
  package mutating func run(_ count: Int) throws {
    try changeCatalog()
    for (_, ledger) in ledgers {
      for id in people { try ledger.createCustomer(id) }
    }
    for step in 0..<count {
      time.advance(seconds: generator.one(of: [1, 60, 3600, 86_400, 200_000, 900_000]))
      switch generator.below(10) {
      case 0..<3: try changeCatalog()
      case 3..<5: try command()
      default:
        told.append("\(time.now) idle")
        for (act, ledger) in ledgers { try idle(act, ledger) }
      }
      guard try compare(step) else { return }
    }
    for (_, ledger) in ledgers { ledger.close() }
  }

  private mutating func changeCatalog() throws {
    var policies: [String] = []
    if generator.percent(50) { policies.append(#""initial_balance": \#(5 * (1 + generator.below(6)))"#) }
    if generator.percent(40) {
      let period = generator.one(of: ["day", "week", "month"])
      let (amount, rollover) = (1 + generator.below(12), generator.one(of: [0, 3]))
      policies.append(
        #""allowance": {"amount": \#(amount), "per": "\#(period)", "rollover": \#(rollover)}"#)
    }
    if generator.percent(30) {
      policies.append(#""recharge": {"amount": 2, "every": "1h", "up_to": \#(4 + generator.below(20))}"#)
    }
    if generator.percent(30) { policies.append(#""maximum_balance": \#(30 + generator.below(40))"#) }
    let currency = ([#""code": "GEM", "name": "Gems""#] + policies).joined(separator: ", ")
    let catalog = try Catalog.load(Array("{\"currencies\": [{\(currency)}]}".utf8))
    told.append("\(time.now) \(policies)")
    for (_, ledger) in ledgers { try ledger.apply(catalog) }
  }

  private mutating func command() throws {
    let (customer, amount) = (generator.one(of: people), Int64(1 + generator.below(9)))
    let isGrant = generator.percent(30)
    told.append("\(time.now) \(isGrant ? "grant" : "spend") \(amount) of \(customer)")
    for (_, ledger) in ledgers {
      do throws(LedgerError) {
        let amounts = [Adjustment(gem, amount)]
        _ = isGrant ? try ledger.grant(amounts, customer: customer) : try ledger.spend(amounts, customer: customer)
      } catch {
        guard [.insufficientBalance, .overMaximum].contains(error.code) else { throw error }
      }
    }
  }

  private func idle(_ act: Act, _ ledger: Ledger) throws {
    let tooMuch = Adjustment(gem, 1_000_000)
    switch act {
    case .nothing: break
    case .refusedSpend:
      for id in people { assertRefused(.insufficientBalance) { try ledger.spend([tooMuch], customer: id) } }
    case .refusedGroup:
      for answer in try ledger.submit(people.map { try .spend([tooMuch], customer: $0) }) {
        assertRefused(.insufficientBalance) { try answer.get() }
      }
    case .sweep: try ledger.sweep()
    case .look:
      for id in people {
        _ = try ledger.balances(of: id)
        _ = try? ledger.preview(.spend([tooMuch], customer: id))
      }
    }
  }

  /// - Returns: Whether all ledgers have the same balances, now and at all instants before.
  private mutating func compare(_ step: Int) throws -> Bool {
    let now = time.now
    for (at, balances) in looked.suffix(4) + [(now, try balances(in: ledgers[0].ledger, at: now))] {
      for (act, ledger) in ledgers {
        let others = try self.balances(in: ledger, at: at)
        guard others != balances else { continue }
        XCTFail(
          "seed \(generator.seed), step \(step), \(act): \(others) at \(at), not \(balances), after\n"
            + told.joined(separator: "\n"))
        return false
      }
    }
    looked.append((now, try balances(in: ledgers[0].ledger, at: now)))
    // What is booked at the very instant of a read may change its answer.
    time.advance(seconds: 1)
    return true
  }

  private func balances(in ledger: Ledger, at instant: Timestamp) throws -> [Int64] {
    try people.map { try ledger.balance(of: gem, customer: $0, at: instant).balance }
  }
}
