package import GemLedger

// The shared fold of the journal's entries and allocations, for proof, insight and import. The engine uses other code
// (`AccountPlanning`, `LoadedLots`), so a proof compares two implementations.

/// An account's state after the added entries.
package struct AccountFold {
  package var balance: Int64 = 0
  package var debt: Int64 = 0
  package var version: Int64 = 0
  package var lastEntry: EntryNumber = 0

  package init() {}

  package init(_ row: AccountRow) {
    (balance, debt, version, lastEntry) = (row.balance, row.debt, row.version, row.lastEntry)
  }

  /// The changes by one entry; 128 bits wide, so that damaged rows cannot overflow them.
  package struct Change {
    package let balance: Int128
    package let debt: Int128
    /// The amount of an entry with these changes.
    package var amount: Int128 { balance - debt }
  }

  /// Adds an entry that results in this balance and debt.
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

/// A lot's amounts after the added allocations; 128 bits wide, so that damaged rows cannot overflow them.
package struct LotFold {
  package var granted: Int128
  package var remaining: Int128

  package init(granted: Int64 = 0, remaining: Int64 = 0) {
    (self.granted, self.remaining) = (Int128(granted), Int128(remaining))
  }

  /// The granted amount for a row; capped at the largest number, which no rule distinguishes from more.
  package var grantedInRow: Int64 { Int64(clamping: granted) }

  /// Adds an allocation.
  ///
  /// - Parameters:
  ///   - isReturn: Whether the amount was taken from the lot earlier: a return does not increase the granted amount.
  ///   - held: The held part of the remaining amount.
  package mutating func add(_ amount: Int64, isReturn: Bool, held: Int128 = 0) {
    remaining += Int128(amount)
    guard amount > 0 else { return }
    if isReturn { fill(to: remaining - held) } else { granted += Int128(amount) }
  }

  /// Raises the granted amount to at least the given free amount.
  package mutating func fill(to free: Int128) { granted = max(granted, free) }
}

extension JournalEventRow {
  /// The amount that the event adds to its hold, negative if it removes; 0 for other events.
  package var heldChange: Int64 {
    switch kind {
    case .held: amount
    case .captured, .released: -amount
    case .reversal, .deadline, .late, .reclaimed, .linked, .counted, .unproven: 0
    }
  }
}
