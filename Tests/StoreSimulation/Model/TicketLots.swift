internal import GemLedger

/// One customer's tickets, which expire: given, spent and left, in the simplest way.
struct TicketLots {
  private var lots: [(expiresAt: Timestamp, amount: Int64)] = []

  func available(at now: Timestamp) -> Int64 {
    lots.reduce(0) { $1.expiresAt > now ? $0 + $1.amount : $0 }
  }

  mutating func give(_ amount: Int64, until: Timestamp) {
    let position = lots.firstIndex { $0.expiresAt > until } ?? lots.count
    lots.insert((until, amount), at: position)
  }

  /// Takes from the tickets that expire soonest.
  mutating func spend(_ amount: Int64, at now: Timestamp) {
    lots.removeAll { $0.expiresAt <= now }
    var left = amount
    while left > 0, !lots.isEmpty {
      let taken = min(left, lots[0].amount)
      lots[0].amount -= taken
      left -= taken
      if lots[0].amount == 0 { lots.removeFirst() }
    }
  }

  mutating func take(all other: TicketLots) {
    for lot in other.lots { give(lot.amount, until: lot.expiresAt) }
  }
}
