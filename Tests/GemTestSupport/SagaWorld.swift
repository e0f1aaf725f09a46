package import GemLedger
internal import Synchronization
internal import XCTest

/// A server of coins that counts its calls as steps too; it survives its callers.
package final class CoinServer: RemoteCurrency {
  package struct Lost: Error {}

  private struct State {
    var credits: [IdempotencyKey: Int64] = [:]
    var refuses = false
    var answers = true
    var canSay = true
    var calls = 0
  }

  private let state = Mutex(State())
  private let crashPoint: CrashPoint

  package init(crashPoint: CrashPoint = CrashPoint()) { self.crashPoint = crashPoint }

  package var coins: Int64 { state.withLock { $0.credits.values.reduce(0, +) } }
  package var creditCount: Int { state.withLock { $0.credits.count } }
  package var calls: Int { state.withLock { $0.calls } }
  /// Says no to everything that it has not credited.
  package func refuse() { state.withLock { $0.refuses = true } }
  /// Sets whether it answers; without answers it still does its work.
  package func answers(_ answers: Bool) { state.withLock { $0.answers = answers } }
  /// Makes it unable to say afterwards whether it credited.
  package func cannotSay() { state.withLock { $0.canSay = false } }

  package func credit(_ amount: CurrencyAmount, to customer: CustomerID, key: IdempotencyKey) async throws {
    let dies = try crashPoint.enter()
    let answers = try state.withLock { state in
      state.calls += 1
      if state.credits[key] == nil {
        if state.refuses { throw RemoteRefusal("No such player.") }
        state.credits[key] = amount.amount
      }
      return state.answers
    }
    if dies { throw crashPoint.die() }
    if !answers { throw Lost() }
  }

  package func wasCredited(key: IdempotencyKey) async throws -> Bool? {
    let dies = try crashPoint.enter()
    let answer: Bool? = state.withLock { $0.canSay ? $0.credits[key] != nil : nil }
    if dies { throw crashPoint.die() }
    return answer
  }
}

/// A customer with 100 gems, and a server of coins.
package struct SagaWorld {
  package let time: ManualClock
  package let crashPoint = CrashPoint()
  package let server: CoinServer
  package let storage: CrashingStorage
  package let gem: CurrencyCode
  package let alice: CustomerID
  package let exchange: RemoteExchange

  /// In memory.
  package init() throws { try self.init("alice", ManualClock()) { CrashingStorage(crashPoint: $0) } }

  /// - Parameters:
  ///   - customer: The new customer that exchanges.
  ///   - time: One for all customers in the same storage.
  ///   - open: Opens the storage, as each process that starts does.
  package init(
    _ customer: String, _ time: ManualClock, open: @escaping @Sendable () throws -> any LedgerStorage
  ) throws {
    try self.init(customer, time) { try CrashingStorage(crashPoint: $0, open: open) }
  }

  private init(_ customer: String, _ time: ManualClock, storage make: (CrashPoint) throws -> CrashingStorage) throws {
    self.time = time
    server = CoinServer(crashPoint: crashPoint)
    storage = try make(crashPoint)
    gem = try CurrencyCode("GEM")
    alice = try CustomerID(customer)
    exchange = RemoteExchange(
      customer: alice, gives: CurrencyAmount(currency: gem, amount: 50),
      gets: CurrencyAmount(currency: try CurrencyCode("COIN"), amount: 5000))
    let ledger = self.ledger
    try ledger.apply(Make.catalog())
    try ledger.grant([Adjustment(gem, 100)], customer: alice)
    crashPoint.begin()
  }

  /// The ledger as a process that has just started has it.
  package var ledger: Ledger { Ledger(storage: storage, clock: time.clock) }
  package var saga: ExchangeSaga { ExchangeSaga(ledger: ledger, remote: server) }

  package func run(_ key: String = "k") async throws -> ExchangeOutcome {
    try await saga.run(exchange, key: Make.key(key))
  }

  package var balance: Balance { get throws { try ledger.balance(of: gem, customer: alice) } }
}

// MARK: Processes that die

extension SagaWorld {
  /// At which steps, and on which side of them, the first process dies and the one after it.
  package struct Deaths {
    package var first: (step: Int, moment: CrashPoint.Side)
    package var second: (step: Int, moment: CrashPoint.Side)?
  }

  package enum Path: CaseIterable, Sendable {
    /// The other side credits.
    case credited
    /// It refuses.
    case refused
    /// It credits, and time goes by between the processes until the hold must be extended.
    case extended
    /// The hold ends between the processes.
    case lapsed
  }

  /// Every pair of deaths on every path.
  package static func matrix(_ body: (Path, Deaths) async throws -> Void) async throws {
    for path in Path.allCases {
      for first in 0..<4 {
        for one in CrashPoint.Side.allCases {
          try await body(path, Deaths(first: (first, one)))
          for second in 0..<5 {
            for other in CrashPoint.Side.allCases {
              try await body(path, Deaths(first: (first, one), second: (second, other)))
            }
          }
        }
      }
    }
  }

  /// Runs the exchange through its deaths and to its end.
  package func play(_ path: Path, _ deaths: Deaths, run: () async throws -> Void) async throws {
    if path == .refused { server.refuse() }
    for death in [deaths.first, deaths.second] {
      guard let death else { continue }
      crashPoint.begin(deaths: [death.step: death.moment])
      do { try await run() } catch { XCTAssertTrue(crashPoint.isDead, "\(error)") }
      switch path {
      case .extended: time.advance(seconds: 86_400 - 100)
      case .lapsed: time.advance(seconds: 86_400 + 100)
      case .credited, .refused: break
      }
      try storage.startAgain()
    }
    crashPoint.begin()
    try await run()
  }

  package func isExactlyOnceOnBothSides() throws -> Bool {
    let balance = try balance
    let isWhole = balance.balance == 50 && server.coins == 5000
    let isNothing = balance.balance == 100 && server.coins == 0
    return balance.held == 0 && (isWhole || isNothing)
  }
}
