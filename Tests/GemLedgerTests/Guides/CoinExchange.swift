import GemLedger
import Synchronization

/// The coins, in a table of your own; `credits` has the key as its primary key.
final class CoinTable: RemoteCurrency {
  private let rows = Mutex<(balances: [CustomerID: Int64], credits: Set<IdempotencyKey>)>(([:], []))

  func credit(_ amount: CurrencyAmount, to player: CustomerID, key: IdempotencyKey) async throws {
    // One transaction of your database: the key's row, and the balance with it.
    rows.withLock { rows in
      guard rows.credits.insert(key).inserted else { return }
      rows.balances[player, default: 0] += amount.amount
    }
  }

  func wasCredited(key: IdempotencyKey) async throws -> Bool? {
    rows.withLock { $0.credits.contains(key) }
  }

  func balance(of player: CustomerID) -> Int64 { rows.withLock { $0.balances[player] ?? 0 } }
}

func buyCoins(
  ledger: Ledger, coins: CoinTable, player: CustomerID, gem: CurrencyCode, key: IdempotencyKey
) async throws {
  let exchange = try RemoteExchange(
    customer: player, gives: CurrencyAmount(currency: gem, amount: 50), into: CurrencyCode("COIN"),
    rate: ExchangeRate(100, for: 1))
  switch try await ExchangeSaga(ledger: ledger, remote: coins).run(exchange, key: key) {
  case .exchanged(let booking): print("Done; \(booking.balance(gem) ?? 0) gems are left.")
  case .refused(let reason): print("Nothing was taken: \(reason)")
  case .unpaid(let why): print("Credited and not paid for; somebody has to look: \(why)")
  }
}

func exchangeForCoins(
  ledger: Ledger, player: CustomerID, gem: CurrencyCode, coin: CurrencyCode, key: IdempotencyKey
) throws {
  try ledger.exchange(
    Adjustment(gem, 50), into: coin, rate: ExchangeRate(100, for: 1), customer: player, key: key)
}
