/// The shares of an account's currency and debt: the customer's, and one for each merge that may be undone.
///
/// A pooled lot mixes merged currency with the customer's currency. Three rules separate the shares:
/// 1. A spend burns the customer's share first, and then the shares of the merges, the oldest merge first.
/// 2. Currency that a reversal or a reversed refund gives back returns to the shares that it was taken from, the last
///    share first. An amount from before the merge, or from a merge that is undone, returns to its owner of that time.
/// 3. All other credits belong to the customer.
///
/// A debt is repaid in the same order: the customer's share first.
struct MergedShares {
  /// An amount by owner: the customer, and the merges in their order.
  typealias Shares = [Int64]

  /// The cause of an entry, as far as it affects the shares.
  enum Cause: Equatable {
    /// Debits burn.
    case booking(TransactionNumber)
    /// Amounts of those transactions are given back, the last transaction first; the rest belongs to the owner.
    case givingBack([TransactionNumber], owner: Int)
    case merge(Int)
    case unmerge(Int)
    /// The customer was merged into another customer, and all its currency moved there.
    case departure
    /// The customer was split off again with the rest of its currency.
    case comeback
  }

  /// By lot; the debt is under ``debtLot``.
  private var shares: [LotNumber: Shares]
  private var taken: [TransactionNumber: [LotNumber: Shares]] = [:]
  /// The account's amounts when all its currency last moved away, less the returned amounts.
  private var departed: [LotNumber: Shares] = [:]
  private var isAway = false
  /// By merge: the transaction that undid it; `.max` if none did.
  private let undoneBy: [TransactionNumber]
  private let none: Shares

  /// A number that no lot has: a debt is shared like a lot.
  private static let debtLot: LotNumber = 0

  /// - Parameters:
  ///   - owned: The amounts before the first entry, all of which belong to the customer.
  ///   - undoneBy: For each merge the transaction that undid it; `.max` if none did.
  init(owned: [LotNumber: Int64], debt: Int64, undoneBy: [TransactionNumber]) {
    self.undoneBy = undoneBy
    none = Shares(repeating: 0, count: undoneBy.count + 1)
    let own = none.dropFirst()
    shares = owned.mapValues { [$0] + own }
    shares[Self.debtLot] = [debt] + own
  }

  /// Returns an owner's amounts in lots, without empty ones, and its share of the debt.
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
      // Amounts lost in the meantime count as burnt in the usual order.
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

  /// - Returns: The amount that each owner lost.
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
