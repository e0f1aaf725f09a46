internal import GemLedger

/// A transaction that decides whether a customer may spend.
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

/// Gathers the freezes from several scans, and replays them in the order of the journal.
struct FreezeReplay {
  private var events: [FreezeEvent] = []

  mutating func add(_ event: FreezeEvent) { events.append(event) }
  mutating func add(_ events: [FreezeEvent]) { self.events += events }

  /// The frozen customers by the journal.
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
