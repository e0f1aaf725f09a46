/// The owners of an account's currency and debt: the customer, or a merge that may be undone.
///
/// A pooled lot mixes merged currency with the customer's currency. Three rules separate them:
/// 1. A spend burns the customer's share first, and then those of the merges, the oldest merge first.
/// 2. Currency that is given back, by a reversal or a reversed refund, goes to the shares that it was taken from, the
///    last one first. Currency taken before the merge, or from an undone merge, goes to its owner at that time.
/// 3. All other credits belong to the customer.
///
/// A debt is repaid as currency is burnt: the customer's first.
struct MergedShares {
  /// An amount by owner: the customer, and the merges in their order.
  typealias Shares = [Int64]

  /// The cause of an entry, as far as the shares depend on it.
  enum Cause: Equatable {
    /// Debits burn.
    case booking(TransactionNumber)
    /// The amounts that those transactions took return, those of the last transaction first; the rest belongs to the
    /// owner.
    case givingBack([TransactionNumber], owner: Int)
    case merge(Int)
    case unmerge(Int)
    /// The customer was merged into another, and all currency moved there.
    case departure
    /// The customer was split off again with the rest.
    case comeback
  }

  /// By lot, and under ``debtLot`` the debt.
  private var shares: [LotNumber: Shares]
  private var taken: [TransactionNumber: [LotNumber: Shares]] = [:]
  /// The amounts that last moved to another account and have not returned.
  private var departed: [LotNumber: Shares] = [:]
  private var isAway = false
  /// By merge: the transaction that undid it; `.max` if none did.
  private let undoneBy: [TransactionNumber]
  private let none: Shares

  /// The number of no lot: a debt is shared as a lot is.
  private static let debtLot: LotNumber = 0

  /// - Parameters:
  ///   - owned: The amounts before the first entry, which all belong to the customer.
  ///   - undoneBy: For each merge the transaction that undid it; `.max` if none did.
  init(owned: [LotNumber: Int64], debt: Int64, undoneBy: [TransactionNumber]) {
    self.undoneBy = undoneBy
    none = Shares(repeating: 0, count: undoneBy.count + 1)
    let own = none.dropFirst()
    shares = owned.mapValues { [$0] + own }
    shares[Self.debtLot] = [debt] + own
  }

  /// One owner's amounts in each lot and in the debt; empty lots are left out.
  func owned(by owner: Int) -> (lots: [LotNumber: Int64], debt: Int64) {
    var lots = shares.mapValues { $0[owner] }.filter { $0.value > 0 }
    let debt = lots.removeValue(forKey: Self.debtLot) ?? 0
    return (lots, debt)
  }

  /// Applies the account's next entry.
  mutating func add(_ entry: EntryRow, _ amounts: [(lot: LotNumber, amount: Int64)], _ cause: Cause) {
    if cause == .departure, !isAway { departed = [:] }
    isAway = cause == .departure
    for (lot, amount) in amounts + [(Self.debtLot, entry.debtChange(amounts))] where amount != 0 {
      var own = shares[lot] ?? none
      if amount > 0 {
        credit(amount, to: &own, lot, cause, at: entry.transaction)
      } else {
        debit(-amount, from: &own, lot, cause)
      }
      shares[lot] = own
    }
  }

  private mutating func credit(
    _ amount: Int64, to shares: inout Shares, _ lot: LotNumber, _ cause: Cause, at now: TransactionNumber
  ) {
    switch cause {
    case .merge(let index): shares[index] += amount
    case .givingBack(let transactions, let owner):
      var rest = amount
      for transaction in transactions.reversed() {
        guard var record = taken[transaction]?[lot] else { continue }
        for index in record.indices.reversed() {
          let part = min(rest, record[index])
          record[index] -= part
          let isUndone = index > 0 && undoneBy[index - 1] < now
          shares[isUndone ? owner : index] += part
          rest -= part
        }
        taken[transaction]?[lot] = record
      }
      shares[owner] += rest
    case .comeback:
      // Amounts lost meanwhile were burnt as usual.
      var left = departed.removeValue(forKey: lot) ?? none
      let lost = left.reduce(0, +) - amount
      if lost > 0 { _ = Self.burn(lost, from: &left) } else { left[0] -= lost }
      for index in shares.indices { shares[index] += left[index] }
    case .booking, .unmerge, .departure: shares[0] += amount
    }
  }

  private mutating func debit(_ amount: Int64, from shares: inout Shares, _ lot: LotNumber, _ cause: Cause) {
    switch cause {
    case .unmerge(let index): Self.take(amount, from: &shares, first: index)
    case .departure: (departed[lot], shares) = (shares, none)
    case .booking(let transaction):
      let burnt = Self.burn(amount, from: &shares)
      var record = taken[transaction]?[lot] ?? none
      for index in record.indices { record[index] += burnt[index] }
      taken[transaction, default: [:]][lot] = record
    case .givingBack, .merge, .comeback: _ = Self.burn(amount, from: &shares)
    }
  }

  /// - Returns: The loss of each owner.
  private static func burn(_ amount: Int64, from shares: inout Shares) -> Shares {
    var (burnt, rest) = (Shares(repeating: 0, count: shares.count), amount)
    for index in shares.indices {
      burnt[index] = min(rest, shares[index])
      shares[index] -= burnt[index]
      rest -= burnt[index]
    }
    return burnt
  }

  private static func take(_ amount: Int64, from shares: inout Shares, first index: Int) {
    let part = min(amount, shares[index])
    shares[index] -= part
    _ = burn(amount - part, from: &shares)
  }
}
