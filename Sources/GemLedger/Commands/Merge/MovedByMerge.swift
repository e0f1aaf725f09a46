/// The amounts that a merge moved to the surviving customer, or an unmerge took from it, by the transaction's rows;
/// pure.
struct MovedByMerge {
  struct Currency {
    /// Positive amounts by lot.
    var lots: [LotNumber: Int64] = [:]
    var debt: Int64 = 0
  }

  /// By the currency's number.
  private(set) var currencies: [Int64: Currency] = [:]
  private(set) var items: [ItemID: Int64] = [:]

  /// - Parameters:
  ///   - parts: The transaction, with the survivor's rows at least.
  ///   - isUnmerge: Whether the survivor's losses count, and not its gains.
  init(_ parts: TransactionParts, survivor: CustomerNumber, isUnmerge: Bool = false) {
    let sign: Int64 = isUnmerge ? -1 : 1
    for entry in parts.entries where entry.account.customer == survivor {
      var moved = currencies[entry.account.currency] ?? Currency()
      var balance: Int64 = 0
      for (lot, amount) in entry.amounts(among: parts.allocations) {
        moved.lots[lot, default: 0] += sign * amount
        balance += amount
      }
      // The part of an entry that changed no balance changed the debt.
      moved.debt += max(0, sign * (balance - entry.amount))
      currencies[entry.account.currency] = moved
    }
    // The survivor's lots that repaid a merged debt were consumed.
    currencies = currencies.mapValues { moved in
      Currency(lots: moved.lots.filter { $0.value > 0 }, debt: moved.debt)
    }
    for item in parts.items where item.customer == survivor && sign * item.quantity > 0 {
      items[item.item, default: 0] += sign * item.quantity
    }
  }
}

extension EntryRow {
  /// Returns the entry's amounts by lot.
  ///
  /// - Parameter allocations: Allocations with those of the entry among them; not needed for an entry on a single lot.
  func amounts(among allocations: [AllocationRow]) -> [(lot: LotNumber, amount: Int64)] {
    guard lot == 0 else { return [(lot, amount)] }
    return allocations.filter { $0.entry == number }.map { ($0.lot, $0.amount) }
  }
}

extension UnmergeReport {
  /// Compares the rows of the merge and of the unmerge.
  init(
    merge: TransactionParts, unmerge: TransactionParts, survivor: CustomerNumber, named id: CustomerID,
    definitions: CurrencyDefinitions
  ) {
    let moved = MovedByMerge(merge, survivor: survivor)
    let returned = MovedByMerge(unmerge, survivor: survivor, isUnmerge: true)
    var (lots, debts): ([UnmergedLot], [UnmergedDebt]) = ([], [])
    for currency in definitions.currencies {
      let own = moved.currencies[currency.number] ?? MovedByMerge.Currency()
      let back = returned.currencies[currency.number] ?? MovedByMerge.Currency()
      for lot in Set(own.lots.keys).union(back.lots.keys).sorted() {
        lots.append(
          UnmergedLot(
            currency: currency.code, lot: lot, source: merge.sources[lot] ?? unmerge.sources[lot] ?? .admin,
            moved: own.lots[lot] ?? 0, returned: back.lots[lot] ?? 0))
      }
      if own.debt > 0 {
        debts.append(UnmergedDebt(currency: currency.code, moved: own.debt, returned: back.debt))
      }
    }
    self.init(
      survivor: id,
      merge: definitions.transactionIDs.id(number: merge.row.number, createdAt: merge.row.createdAt), lots: lots,
      debts: debts,
      items: moved.items.sorted { $0.key < $1.key }.map {
        UnmergedItem(item: $0.key, moved: $0.value, returned: returned.items[$0.key] ?? 0)
      })
  }
}
