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

/// The lots of an account that hold something, on hold or not.
struct OpenLots {
  /// An account with more is no longer followed.
  static let countMax = 256
  /// How many of the others a spend is compared with.
  static let comparedCountMax = 32

  // Most accounts have one, which then needs no room of its own.
  private var first: LotNumber = 0
  private var others: [LotNumber] = []
  private var isFollowed = true

  /// Whether none but that one is open.
  func isNone(but lot: LotNumber) -> Bool { first == 0 || first == lot && others.isEmpty }

  mutating func open(_ lot: LotNumber) {
    guard isFollowed else { return }
    if first == 0 {
      first = lot
    } else if others.count < Self.countMax {
      others.append(lot)
    } else {
      (first, others, isFollowed) = (0, [], false)
    }
  }

  mutating func close(_ lot: LotNumber) {
    if first == lot {
      first = others.isEmpty ? 0 : others.removeFirst()
    } else if let index = others.firstIndex(of: lot) {
      others.remove(at: index)
    }
  }

  func all(but taken: [LotNumber]) -> [LotNumber] {
    guard first != 0 else { return [] }
    return ([first] + others).filter { !taken.contains($0) }
  }
}

extension Verifier {
  /// Gathers a spend of an account with several lots, after it was replayed.
  mutating func expectBurn(
    of entry: EntryRow, _ allocations: [AllocationRow], _ replay: Replay
  ) throws(LedgerError) {
    let open = replay.accounts[entry.account]?.open ?? OpenLots()
    // Allocations in both directions are no plain spend: some amount repaid a debt.
    guard entry.amount < 0, allocations.count > 1 || !open.isNone(but: entry.lot),
      allocations.allSatisfy({ $0.amount < 0 })
    else { return }
    let lots = entry.lot != 0 ? [entry.lot] : allocations.map(\.lot)
    func isFree(_ lot: LotNumber) -> Bool {
      (replay.lots[lot]?.remaining ?? 0) != (replay.events.heldOfLots[lot] ?? 0)
    }
    let others = open.all(but: lots).prefix(OpenLots.comparedCountMax)
    let burn = Burn(
      transaction: entry.transaction, account: entry.account, lots: lots, left: others.filter(isFree),
      isSpentUp: !lots.dropLast().contains(where: isFree))
    guard burn.lots.count > 1 || !burn.left.isEmpty else { return }
    equations.burns.append(burn)
    equations.burntLotCount += burn.lots.count + burn.left.count
    if equations.burntLotCount >= ScanPage.size { try checkBurns(replay) }
  }

  /// Checks the gathered spends: soonest expiry first, then free before paid or paid before free, then oldest.
  ///
  /// Which of free and paid burns first the catalog may change at any time, so that both orders are right.
  mutating func checkBurns(_ replay: Replay) throws(LedgerError) {
    guard !equations.burns.isEmpty else { return }
    let burns = equations.burns
    equations.burns.removeAll(keepingCapacity: true)
    equations.burntLotCount = 0
    try readRanks(of: burns, replay)
    let suspects = burns.filter { burn in
      !burn.isSpentUp
        || !Self.isInOrder(burn, replay, paidFirst: false) && !Self.isInOrder(burn, replay, paidFirst: true)
    }
    guard !suspects.isEmpty else { return }
    let transactions = try snapshot.transactions(suspects.map { RowAddress($0.transaction, of: nil) })
    // Held lots are captured in any order.
    for burn in suspects where transactions[burn.transaction]?.kind != .capture {
      report(
        "lots_burn_in_order", currency: burn.account.currency,
        "transaction \(burn.transaction) took from the lots \(burn.lots) of \(name(of: burn.account)), which is not "
          + "the order in which they burn")
    }
  }

  /// Reads the ranks of lots that are not known yet.
  private func readRanks(of burns: [Burn], _ replay: Replay) throws(LedgerError) {
    var missing: Set<RowAddress> = []
    for burn in burns {
      for lot in burn.lots + burn.left where replay.ranks[lot] == nil {
        missing.insert(RowAddress(lot, of: burn.account.customer))
      }
    }
    guard !missing.isEmpty else { return }
    for (lot, attributes) in try snapshot.lotAttributes(Array(missing)) {
      replay.ranks[lot] = BurnRank(expiresAt: attributes.expiresAt, isPaid: attributes.source == .paid)
    }
  }

  /// Whether its lots burnt one after another, and no other lot burns before the last.
  private static func isInOrder(_ burn: Burn, _ replay: Replay, paidFirst: Bool) -> Bool {
    func isInOrder(_ one: LotNumber, _ other: LotNumber) -> Bool {
      // A lot without terms is another equation's.
      guard let rank = replay.ranks[one], let next = replay.ranks[other] else { return true }
      return rank.precedes(next, (one, other), paidFirst: paidFirst)
    }
    guard let last = burn.lots.last else { return true }
    return zip(burn.lots, burn.lots.dropFirst()).allSatisfy(isInOrder) && burn.left.allSatisfy { isInOrder(last, $0) }
  }
}
