package import GemLedger

// The one fold of the journal's entries and allocations, for proof, insight and import. The engine has rules of its own
// (`AccountPlanning`, `LoadedLots`), so that a proof compares two implementations.

/// An account after the entries so far.
package struct AccountFold {
  package var balance: Int64 = 0
  package var debt: Int64 = 0
  package var version: Int64 = 0
  package var lastEntry: EntryNumber = 0

  package init() {}

  package init(_ row: AccountRow) {
    (balance, debt, version, lastEntry) = (row.balance, row.debt, row.version, row.lastEntry)
  }

  /// The changes that one entry makes; wide, so that damaged rows cannot overflow them.
  package struct Change {
    package let balance: Int128
    package let debt: Int128
    /// The amount of an entry that makes these changes.
    package var amount: Int128 { balance - debt }
  }

  /// Adds the entry that leaves this balance and this debt.
  package mutating func add(_ entry: EntryNumber, balance: Int64, debt: Int64) -> Change {
    let change = Change(balance: Int128(balance) - Int128(self.balance), debt: Int128(debt) - Int128(self.debt))
    self.balance = balance
    self.debt = debt
    version += 1
    lastEntry = entry
    return change
  }
}

extension AccountRow {
  /// Sets the fields that the account's entries determine.
  package mutating func set(_ fold: AccountFold) {
    (balance, debt, version, lastEntry) = (fold.balance, fold.debt, fold.version, fold.lastEntry)
  }
}

/// The amounts of a lot after the allocations so far; wide, so that damaged rows cannot overflow them.
package struct LotFold {
  package var granted: Int128
  package var remaining: Int128

  package init(granted: Int64 = 0, remaining: Int64 = 0) {
    (self.granted, self.remaining) = (Int128(granted), Int128(remaining))
  }

  /// The granted amount in a row; no rule depends on more than the largest number.
  package var grantedInRow: Int64 { Int64(clamping: granted) }

  /// Adds an allocation.
  ///
  /// - Parameters:
  ///   - isReturn: Whether the amount came out of the lot before: a return makes the lot no larger.
  ///   - held: How much of the remaining amount is on hold.
  package mutating func add(_ amount: Int64, isReturn: Bool, held: Int128 = 0) {
    remaining += Int128(amount)
    guard amount > 0 else { return }
    if isReturn { fill(to: remaining - held) } else { granted += Int128(amount) }
  }

  /// Makes the lot at least as large as the amount that is free in it.
  package mutating func fill(to free: Int128) { granted = max(granted, free) }
}

extension JournalEventRow {
  /// The amount that the event adds to its hold, or takes out of it where it is negative; 0 for other events.
  package var heldChange: Int64 {
    switch kind {
    case .held: amount
    case .captured, .released: -amount
    case .reversal, .deadline, .late, .reclaimed, .linked, .counted, .unproven: 0
    }
  }
}
