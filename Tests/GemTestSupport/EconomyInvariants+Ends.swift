package import GemLedger

extension EconomyRows {
  // MARK: 5

  func reversals() -> [Breach] {
    let byTransaction = Dictionary(grouping: entries, by: \.transaction)
    var back: [TransactionNumber: [Int64: Int64]] = [:]
    for event in events where event.kind == .reversal {
      for entry in byTransaction[event.transaction] ?? [] where entry.kind == .reversal {
        back[event.target, default: [:]][entry.account.currency, default: 0] += entry.amount
      }
    }
    var found: [Breach] = []
    for (target, sums) in back.sorted(by: { $0.key < $1.key }) {
      for (currency, sum) in sums.sorted(by: { $0.key < $1.key }) {
        let taken = (byTransaction[target] ?? []).filter { $0.account.currency == currency && $0.kind == .spend }
          .reduce(0) { $0 - $1.amount }
        if sum > taken {
          found.append(
            Breach(
              .reversalsStayBelowTheOriginal,
              "\(sum) of currency \(currency) came back of transaction \(target), which took \(taken)"))
        }
      }
    }
    return found
  }

  /// The same of refunds: nothing is clawed back twice, and nothing is given back that was not clawed back.
  func clawbacks() -> [Breach] {
    let byEntry = Dictionary(grouping: allocations, by: \.entry)
    let granting = Set(purchases.map(\.transaction))
    var granted: [LotNumber: Int64] = [:]
    for entry in entries where granting.contains(entry.transaction) && entry.kind == .purchase {
      let rows = byEntry[entry.number] ?? []
      let parts = entry.lot != 0 ? [(entry.lot, entry.amount)] : rows.map { ($0.lot, $0.amount) }
      for (lot, amount) in parts where amount > 0 { granted[lot, default: 0] += amount }
    }
    var (sums, found): ([LotNumber: Int64], [Breach]) = ([:], [])
    for part in refundParts where part.kind != .repaid {
      sums[part.lot, default: 0] += part.amount
    }
    for (lot, sum) in sums.sorted(by: { $0.key < $1.key }) where !(0...(granted[lot] ?? 0)).contains(sum) {
      found.append(
        Breach(
          .reversalsStayBelowTheOriginal,
          "\(sum) of lot \(lot) is clawed back; its purchase gave \(granted[lot] ?? 0)"))
    }
    return found
  }

  // MARK: 6

  /// The breaches in the rows after all effects due at an instant were booked.
  package func expiries(at now: Timestamp) -> [Breach] {
    lots.filter { $0.expiresAt <= now.milliseconds && $0.remaining != 0 }.map {
      Breach(.expiredIsWorthNothing, "lot \($0.number) expired at \($0.expiresAt) and has \($0.remaining) at \(now)")
    }
      + holds.filter { $0.deadline <= now }.map {
        Breach(.holdsEndOnce, "hold \($0.number) is open at \(now), past its deadline \($0.deadline)")
      }
  }

  // MARK: 7

  func holdEnds() -> [Breach] {
    var found: [Breach] = []
    let kinds = Dictionary(transactions.map { ($0.number, $0.kind) }) { first, _ in first }
    let about = Dictionary(grouping: events.filter { $0.isAboutHold }, by: \.target)
    let open = Set(holds.map(\.number))
    for (hold, events) in about.sorted(by: { $0.key < $1.key }) {
      func report(_ message: String) { found.append(Breach(.holdsEndOnce, "hold \(hold) \(message)")) }
      var (left, isEnded, deadline) = (Int64(0), false, Int64.min)
      var start = 0
      while start < events.count {
        let transaction = events[start].transaction
        let end = events[start...].firstIndex { $0.transaction != transaction } ?? events.count
        if isEnded { report("had ended, and transaction \(transaction) is about it") }
        for event in events[start..<end] {
          if let given = event.deadline { deadline = given.milliseconds }
          switch event.kind {
          case .deadline: break
          case .held:
            left += event.amount
            if transaction != hold, kinds[transaction] != .merge {
              report("is given \(event.amount) more by transaction \(transaction)")
            }
          case .captured:
            left -= event.amount
            if event.createdAt.milliseconds >= deadline { report("is captured past its deadline") }
          default: left -= event.amount
          }
        }
        if left < 0 { report("gave \(-left) more than it held by transaction \(transaction)") }
        isEnded = left == 0
        start = end
      }
      if open.contains(hold) == isEnded { report(isEnded ? "has ended and is open" : "holds \(left) and is not open") }
    }
    for hold in transactions where hold.kind == .hold && about[hold.number] == nil {
      found.append(Breach(.holdsEndOnce, "hold \(hold.number) has no effects"))
    }
    return found
  }

  // MARK: 12

  /// Whether every acknowledged purchase is there with its credit.
  package func losses(of acknowledged: Set<TransactionNumber>) -> [Breach] {
    let credited = Set(purchases.map(\.transaction))
    let booked = Set(transactions.filter { $0.kind == .purchase }.map(\.number))
    let brought = Set(entries.map(\.transaction)).union(itemEntries.map(\.transaction))
    return acknowledged.subtracting(credited.intersection(booked).intersection(brought)).sorted().map {
      Breach(.purchasesAreDurable, "the credit by transaction \($0), which was acknowledged, is gone")
    }
  }
}

extension JournalEventRow {
  fileprivate var isAboutHold: Bool {
    switch kind {
    case .deadline, .held, .captured, .released: true
    default: false
    }
  }
}
