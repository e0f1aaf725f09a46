internal import GemLedger

/// A spend of an account with several lots.
struct Burn {
  let transaction: TransactionNumber
  let account: AccountNumber
  /// In the order in which they burnt.
  let lots: [LotNumber]
  /// Some of the account's other lots that held something.
  let left: [LotNumber]
  /// Whether each lot but the last was spent up.
  let isSpentUp: Bool
}

/// Where a lot stands in the order of burning.
struct BurnRank {
  let expiresAt: Int64
  let isPaid: Bool

  func precedes(_ other: Self, _ lots: (own: LotNumber, other: LotNumber), paidFirst: Bool) -> Bool {
    let (rank, otherRank) = (isPaid == paidFirst ? 0 : 1, other.isPaid == paidFirst ? 0 : 1)
    return (expiresAt, rank, lots.own) < (other.expiresAt, otherRank, lots.other)
  }
}

/// Checks that spends take from lots in the order in which they burn.
struct BurnCheck {
  private let context: VerifyContext
  /// Spends over several lots with an order to check, gathered for a batch read.
  private var burns: [Burn] = []
  /// How many lots the gathered spends name.
  private var lotCount = 0
  /// The lots' positions in the order of burning, as far as they were needed.
  private let ranks = IntegerMap<BurnRank>()

  init(_ context: VerifyContext) { self.context = context }

  mutating func add(_ burn: Burn) throws(LedgerError) {
    burns.append(burn)
    lotCount += burn.lots.count + burn.left.count
    if lotCount >= ScanPage.size { try checkGathered() }
  }

  /// Checks the gathered spends: soonest expiry first, then free before paid or paid before free, then oldest.
  ///
  /// Which of free and paid burns first the catalog may change at any time, so that both orders are right.
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
    // Held lots are captured in any order.
    for burn in suspects where transactions[burn.transaction]?.kind != .capture {
      context.report(
        "lots_burn_in_order", currency: burn.account.currency,
        "transaction \(burn.transaction) took from the lots \(burn.lots) of \(context.name(of: burn.account)), which "
          + "is not the order in which they burn")
    }
  }

  /// Reads the ranks of lots that are not known yet.
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

  /// Whether its lots burnt one after another, and no other lot burns before the last.
  private func isInOrder(_ burn: Burn, paidFirst: Bool) -> Bool {
    func isInOrder(_ one: LotNumber, _ other: LotNumber) -> Bool {
      // A lot without terms is another equation's.
      guard let rank = ranks[one], let next = ranks[other] else { return true }
      return rank.precedes(next, (one, other), paidFirst: paidFirst)
    }
    guard let last = burn.lots.last else { return true }
    return zip(burn.lots, burn.lots.dropFirst()).allSatisfy(isInOrder) && burn.left.allSatisfy { isInOrder(last, $0) }
  }
}
