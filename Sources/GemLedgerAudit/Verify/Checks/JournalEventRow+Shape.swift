internal import GemLedger

// The events that each kind of transaction may have, and the fields of each kind of event.

extension EntryKind {
  /// The kind of journal event that every transaction of this kind has; nil for none.
  var mark: JournalEventRow.Kind? {
    switch self {
    case .hold: .held
    case .extend: .deadline
    case .release: .released
    case .capture: .captured
    case .reversal: .reversal
    default: nil
    }
  }
}

extension JournalEventRow.Kind {
  /// Whether a transaction of that kind may have such an effect.
  func fits(_ kind: EntryKind) -> Bool {
    switch self {
    case .reversal: kind == .reversal
    case .deadline: kind == .hold || kind == .extend
    case .held: kind == .hold || kind == .merge
    case .captured: kind == .capture
    case .released: kind == .release || kind == .capture || kind == .merge
    case .late: kind == .expiry
    case .reclaimed: kind == .refund || kind == .mixed
    // A spend is linked to the stock of its item.
    case .linked: kind == .transfer || kind == .mixed || kind == .spend
    case .unproven: kind == .merge
    case .counted: true
    }
  }
}

extension JournalEventRow {
  /// Whether it has exactly the fields of its kind.
  var isWhole: Bool {
    let isOfLot = currency != 0 && lot != 0 && amount > 0 && heldAfter >= 0
    let isOfNoLot = currency == 0 && lot == 0 && amount == 0 && heldAfter == 0
    let isOfNoCount = count == nil && period == 0
    switch kind {
    case .reversal: return target != 0 && isOfNoLot && value == 0 && isOfNoCount
    case .deadline, .linked: return target != 0 && isOfNoLot && isOfNoCount
    case .held: return target != 0 && isOfLot && (value == 0 || target == transaction) && isOfNoCount
    case .captured, .released, .late, .reclaimed: return target != 0 && isOfLot && value == 0 && isOfNoCount
    case .unproven: return target == 0 && isOfNoLot && value == 0 && isOfNoCount
    case .counted: return target == 0 && isOfNoLot && count != nil
    }
  }
}
