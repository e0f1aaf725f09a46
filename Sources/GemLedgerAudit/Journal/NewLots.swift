package import GemLedger

/// Finds the lots that each transaction made: their numbers are higher than all earlier numbers in their lane.
package struct NewLots {
  /// The highest lot number of each lane up to now.
  package private(set) var highest: [Int64: LotNumber]
  /// Whether numbers have no gaps, so that one lane made all lots.
  var isDense: Bool

  /// - Parameter highest: The highest lot number of each lane before the following transactions.
  package init(highest: [Int64: LotNumber] = [:], isDense: Bool = true) {
    self.highest = highest
    self.isDense = isDense
  }

  package mutating func note(_ transaction: ExportedTransaction) -> [LotAddress] {
    var found: [LotAddress] = []
    func look(_ lot: LotNumber, _ account: AccountNumber) {
      guard lot > highest[lane(of: lot)] ?? 0, !found.contains(where: { $0.lot == lot }) else { return }
      found.append(LotAddress(lot: lot, customer: account.customer))
    }
    for (entry, allocations) in transaction.entries {
      if entry.lot != 0 { look(entry.lot, entry.account) }
      for allocation in allocations { look(allocation.lot, entry.account) }
    }
    guard !found.isEmpty else { return found }
    found.sort { $0.lot < $1.lot }
    for position in found { highest[lane(of: position.lot)] = max(highest[lane(of: position.lot)] ?? 0, position.lot) }
    return found
  }

  private func lane(of lot: LotNumber) -> Int64 { isDense ? 0 : Numbering.lane(of: lot) }
}
