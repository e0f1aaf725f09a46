import GemLedger
import GemTestSupport
import Synchronization

/// A server of coins on which calls are steps too; it survives whoever calls.
final class CoinServer: RemoteCurrency {
  struct Lost: Error {}

  private struct State {
    var credits: [IdempotencyKey: Int64] = [:]
    var refuses = false
    var answers = true
    var canSay = true
    var calls = 0
  }

  private let state = Mutex(State())
  private let fate: Fate

  init(fate: Fate = Fate()) { self.fate = fate }

  var coins: Int64 { state.withLock { $0.credits.values.reduce(0, +) } }
  var creditCount: Int { state.withLock { $0.credits.count } }
  var calls: Int { state.withLock { $0.calls } }
  /// Says no to everything that it has not credited.
  func refuse() { state.withLock { $0.refuses = true } }
  /// Does its work and tells nobody.
  func answers(_ answers: Bool) { state.withLock { $0.answers = answers } }
  /// Cannot say afterwards what it did.
  func cannotSay() { state.withLock { $0.canSay = false } }

  func credit(_ amount: CurrencyAmount, to customer: CustomerID, key: IdempotencyKey) async throws {
    let dies = try fate.enter()
    let answers = try state.withLock { state in
      state.calls += 1
      if state.credits[key] == nil {
        if state.refuses { throw RemoteRefusal("No such player.") }
        state.credits[key] = amount.amount
      }
      return state.answers
    }
    if dies { throw fate.die() }
    if !answers { throw Lost() }
  }

  func wasCredited(key: IdempotencyKey) async throws -> Bool? {
    let dies = try fate.enter()
    let answer: Bool? = state.withLock { $0.canSay ? $0.credits[key] != nil : nil }
    if dies { throw fate.die() }
    return answer
  }
}

/// Somebody with 100 gems, and a server of coins.
struct SagaWorld {
  let time = ManualClock()
  let fate = Fate()
  let server: CoinServer
  let storage: MortalStorage
  let gem: CurrencyCode
  let alice: CustomerID
  let exchange: RemoteExchange

  init() throws {
    server = CoinServer(fate: fate)
    storage = MortalStorage(fate: fate)
    gem = try CurrencyCode("GEM")
    alice = try CustomerID("alice")
    exchange = RemoteExchange(
      customer: alice, gives: CurrencyAmount(currency: gem, amount: 50),
      gets: CurrencyAmount(currency: try CurrencyCode("COIN"), amount: 5000))
    let ledger = self.ledger
    try ledger.apply(Make.catalog())
    try ledger.grant([Adjustment(gem, 100)], customer: alice)
    fate.begin()
  }

  /// The ledger as a process that has just started has it.
  var ledger: Ledger { Ledger(storage: storage, clock: time.clock) }
  var saga: ExchangeSaga { ExchangeSaga(ledger: ledger, remote: server) }

  func run(_ key: String = "k") async throws -> ExchangeOutcome { try await saga.run(exchange, key: Make.key(key)) }

  var balance: Balance { get throws { try ledger.balance(of: gem, customer: alice) } }
}
