internal import GemLedger

/// A spend of an account with several lots.
struct Burn {
  let transaction: TransactionNumber
  let account: AccountNumber
  /// The lots in burning order.
  let lots: [LotNumber]
  /// Some of the account's other lots with an amount.
  let left: [LotNumber]
  /// Whether each lot except the last was spent completely.
  let isSpentUp: Bool
}

/// A lot's position in burning order.
struct BurnRank {
  let expiresAt: Int64
  let isPaid: Bool

  func precedes(_ other: Self, _ lots: (own: LotNumber, other: LotNumber), paidFirst: Bool) -> Bool {
    let (rank, otherRank) = (isPaid == paidFirst ? 0 : 1, other.isPaid == paidFirst ? 0 : 1)
    return (expiresAt, rank, lots.own) < (other.expiresAt, otherRank, lots.other)
  }
}

/// Checks that spends take from lots in burning order.
struct BurnCheck {
  private let context: VerifyContext
  /// Spends over several lots, collected for a batch read.
  private var burns: [Burn] = []
  /// The number of lots that the collected spends name.
  private var lotCount = 0
  /// The burning positions of the lots that were needed up to now.
  private let ranks = IntegerMap<BurnRank>()

  init(_ context: VerifyContext) { self.context = context }

  mutating func add(_ burn: Burn) throws(LedgerError) {
    burns.append(burn)
    lotCount += burn.lots.count + burn.left.count
    if lotCount >= ScanPage.size { try checkGathered() }
  }

  /// Checks the collected spends: soonest expiry first, then free before paid or paid before free, then oldest.
  ///
  /// The catalog may change the order of free and paid at any time, so both orders are valid.
  mutating func checkGathered() throws(LedgerError) {
    guard !self.burns.isEmpty else { return }
    let burns = self.burns
    self.burns.removeAll(keepingCapacity: true)
    lotCount = 0
    try readRanks(of: burns)
    let suspects = burns.filter { burn in
      !burn.isSpentUp
        || !isInOrder(burn, paidFirst: false) && !isInOrder(burn, paidFirst: true)
    }
    guard !suspects.isEmpty else { return }
    let transactions = try context.snapshot.transactions(suspects.map { RowAddress($0.transaction, of: nil) })
    // A capture may take held lots in any order.
    for burn in suspects where transactions[burn.transaction]?.kind != .capture {
      context.report(
        "lots_burn_in_order", currency: burn.account.currency,
        "transaction \(burn.transaction) took from the lots \(burn.lots) of \(context.name(of: burn.account)), which "
          + "is not their burning order")
    }
  }

  /// Reads the missing ranks of lots.
  private func readRanks(of burns: [Burn]) throws(LedgerError) {
    var missing: Set<RowAddress> = []
    for burn in burns {
      for lot in burn.lots + burn.left where ranks[lot] == nil {
        missing.insert(RowAddress(lot, of: burn.account.customer))
      }
    }
    guard !missing.isEmpty else { return }
    for (lot, attributes) in try context.snapshot.lotAttributes(Array(missing)) {
      ranks[lot] = BurnRank(expiresAt: attributes.expiresAt, isPaid: attributes.source == .paid)
    }
  }

  /// Whether its lots burnt in order, and no other lot ranks before the last one.
  private func isInOrder(_ burn: Burn, paidFirst: Bool) -> Bool {
    func isInOrder(_ one: LotNumber, _ other: LotNumber) -> Bool {
      // Another check reports a lot without attributes.
      guard let rank = ranks[one], let next = ranks[other] else { return true }
      return rank.precedes(next, (one, other), paidFirst: paidFirst)
    }
    guard let last = burn.lots.last else { return true }
    return zip(burn.lots, burn.lots.dropFirst()).allSatisfy(isInOrder) && burn.left.allSatisfy { isInOrder(last, $0) }
  }
}
