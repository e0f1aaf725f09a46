internal import GemLedger

/// A transaction that changes whether a customer may spend.
struct FreezeEvent {
  enum Kind {
    case byPerson(Bool)
    case byRefund(Int64)
    case merge(CustomerNumber)
  }

  let transaction: TransactionNumber
  let customer: CustomerNumber
  let kind: Kind
}

/// Collects the freezes of several scans, and replays them in journal order.
struct FreezeReplay {
  private var events: [FreezeEvent] = []

  mutating func add(_ event: FreezeEvent) { events.append(event) }
  mutating func add(_ events: [FreezeEvent]) { self.events += events }

  /// Returns the frozen customers according to the journal.
  func frozen() -> [CustomerNumber: Int64] {
    var frozen: [CustomerNumber: Int64] = [:]
    for event in events.sorted(by: { $0.transaction < $1.transaction }) {
      let before = frozen[event.customer] ?? 0
      switch event.kind {
      case .byPerson(let isFrozen): frozen[event.customer] = FreezeRules.frozen(before, byPerson: isFrozen)
      case .byRefund(let change): frozen[event.customer] = FreezeRules.frozen(before, byRefunds: change)
      case .merge(let from):
        frozen[event.customer] = FreezeRules.frozen(before, and: frozen.removeValue(forKey: from) ?? 0)
      }
    }
    return frozen
  }
}
