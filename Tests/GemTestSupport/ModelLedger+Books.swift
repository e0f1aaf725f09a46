import GemLedger

extension ModelLedger {
  // MARK: Books

  mutating func post(
    _ amounts: [String: Int64], _ customer: String, credit: LotSource, expiresAt: Int64?
  ) -> Answer {
    let sorted = amounts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (code, _) in sorted { bookExpiry(customer, code) }
    transactionCount += 1
    var entries: [Entry] = []
    for (code, amount) in sorted {
      if amount < 0 {
        entries.append(enter(.spend, customer, code, burn(-amount, customer, code)))
      } else {
        let lot = position(amount, customer, code, credit, expiresAt: expiresAt)
        entries.append(self.credit(.grant, customer, code, [Taken(source: credit, amount: amount)], [lot]))
      }
    }
    let kinds = Set(entries.map(\.kind))
    let kind = kinds.count == 1 ? entries[0].kind : .mixed
    return .booked(kind: kind, customer: customer, entries: entries, items: [], replayed: false)
  }

  mutating func bookExpiry(_ customer: String, _ code: String) {
    var due: [Taken] = []
    for index in lots.indices where lots[index].customer == customer && lots[index].currency == code {
      guard !isLive(lots[index]), lots[index].remaining > 0 else { continue }
      due.append(Taken(source: lots[index].source, amount: -lots[index].remaining))
      lots[index].remaining = 0
    }
    guard !due.isEmpty else { return }
    transactionCount += 1
    _ = enter(.expiry, customer, code, due)
  }

  mutating func enter(
    _ kind: EntryKind, _ customer: String, _ code: String, _ taken: [Taken], debtChange: Int64 = 0
  ) -> Entry {
    let account = customer + "/" + code
    let amount = taken.reduce(0) { $0 + $1.amount } - debtChange
    versions[account, default: 0] += 1
    debts[account, default: 0] += debtChange
    sums[code, default: [:]][kind, default: 0] += amount
    // Currency that goes back into an expired lot counts until its expiry is booked.
    let balance = lots.filter { $0.customer == customer && $0.currency == code }.reduce(0) { $0 + $1.remaining }
    return Entry(
      currency: code, kind: kind, amount: amount, balance: balance, debt: debts[account] ?? 0,
      version: versions[account] ?? 0, taken: taken)
  }

  /// Enters the credits of the lots, and repays the debt from them: first from the lots that burn first.
  mutating func credit(
    _ kind: EntryKind, _ customer: String, _ code: String, _ taken: [Taken], _ credits: [Int], debtChange: Int64 = 0
  ) -> Entry {
    var rest = debt(customer, code) + debtChange
    var all = taken
    let isFirst = { (source: LotSource) in (source == .paid) == (code == "RUBY") }
    for first in [true, false] {
      for (index, part) in zip(credits, taken) where isFirst(part.source) == first && rest > 0 {
        let repaid = min(rest, part.amount)
        lots[index].remaining -= repaid
        rest -= repaid
        all.append(Taken(source: part.source, amount: -repaid))
      }
    }
    let repaid = debt(customer, code) + debtChange - rest
    return enter(kind, customer, code, all, debtChange: debtChange - repaid)
  }

  mutating func position(
    _ amount: Int64, _ customer: String, _ code: String, _ source: LotSource, expiresAt: Int64?
  ) -> Int {
    let pooled = lots.firstIndex {
      $0.isPooled && $0.customer == customer && $0.currency == code && $0.source == source
    }
    guard let pooled, expiresAt == nil else {
      lots.append(
        Lot(
          customer: customer, currency: code, source: source, isPooled: expiresAt == nil, session: nil,
          remaining: amount, expiresAt: expiresAt))
      return lots.count - 1
    }
    lots[pooled].remaining += amount
    return pooled
  }

  mutating func burn(_ amount: Int64, _ customer: String, _ code: String) -> [Taken] {
    burnLots(amount, customer, code).map { Taken(source: lots[$0.lot].source, amount: -$0.amount) }
  }

  mutating func burnLots(_ amount: Int64, _ customer: String, _ code: String) -> [(lot: Int, amount: Int64)] {
    var rest = amount
    var taken: [(lot: Int, amount: Int64)] = []
    let own = lots.indices.filter {
      lots[$0].customer == customer && lots[$0].currency == code && lots[$0].remaining > 0 && isLive(lots[$0])
    }
    for index in own.sorted(by: { order($0) < order($1) }) where rest > 0 {
      let part = min(rest, lots[index].remaining)
      lots[index].remaining -= part
      rest -= part
      taken.append((index, part))
    }
    return taken
  }

  func order(_ index: Int) -> (Int64, Int, Int) {
    let paidFirst = lots[index].currency == "RUBY"
    return (lots[index].expiresAt ?? .max, (lots[index].source == .paid) == paidFirst ? 0 : 1, index)
  }

  func isLive(_ lot: Lot) -> Bool { lot.expiresAt.map { $0 > now } ?? true }
}
