/// The grant of a purchase, the amounts that its refunds took, and its refunds' changes other than balances.
enum RefundedPurchase {
  /// Returns the grants and items of the purchase; without the sources of its lots.
  static func given(_ books: borrowing Bookkeeper, by purchase: PurchaseRow) throws(LedgerError) -> (
    granted: [RefundChange.Granted], items: [ItemEntryRow]
  ) {
    if let sole = purchase.grant, let currency = books.definitions.currency(number: sole.currency) {
      let lot = RefundChange.GrantedLot(lot: sole.lot, source: .paid, amount: sole.amount)
      return ([RefundChange.Granted(currency: currency, lots: [lot])], [])
    }
    let parts = try postings(books.work, of: purchase)
    return (RefundChange.granted(by: parts, definitions: books.definitions), parts.items)
  }

  private static func postings(
    _ work: borrowing UnitOfWork, of purchase: PurchaseRow
  ) throws(LedgerError) -> TransactionParts {
    if let own = work.parts(of: purchase.transaction) { return own }
    guard let row = try work.session.transaction(purchase.transaction, of: purchase.customer),
      row.customer == purchase.customer
    else {
      throw LedgerError(
        .storageDamaged, "The journal lacks transaction \(purchase.transaction), which a purchase names; run verify.")
    }
    return try .postings(of: row, in: work.session)
  }

  /// Finds the amounts that the purchase's refunds took, wrote off or made a debt, less the amounts given back.
  static func outstandingParts(_ work: borrowing UnitOfWork, of purchase: PurchaseRow) throws(LedgerError)
    -> [RefundChange
    .Part]
  {
    var parts: [RefundChange.Part] = []
    for refund in try work.purchases.refunds(of: purchase) {
      for row in try work.purchases.refundParts(of: refund.transaction, of: purchase)
      where row.kind != .repaid {
        let index = parts.firstIndex { $0.lot == row.lot && $0.kind == row.kind && $0.source == row.source }
        let amount = row.amount + (index.map { parts[$0].amount } ?? 0)
        if let index { parts.remove(at: index) }
        parts.append(.init(lot: row.lot, kind: row.kind, source: row.source, amount: amount))
      }
    }
    return parts
  }

  /// The items that the change returns or takes.
  static func items(_ work: borrowing UnitOfWork, of change: RefundChange) throws(LedgerError) -> [(ItemID, Int64)] {
    guard !change.givenItems.isEmpty else { return [] }
    var taken: [ItemID: Int64] = [:]
    for refund in try work.purchases.refunds(of: change.purchase) {
      for item in try itemsOfRefund(work, refund, of: change.owner.number) {
        taken[item.item, default: 0] -= item.quantity
      }
    }
    var items: [(ItemID, Int64)] = []
    for item in change.givenItems {
      let due = change.share.dueItems(of: item.quantity)
      let had = taken[item.item] ?? 0
      var owned = try work.items.owned(item.item, by: change.owner.number)
      if !change.unprovenMerges.isEmpty {
        owned = min(
          owned,
          try UnprovenMerges.items(item.item, by: change.unprovenMerges, to: change.owner.number, work))
      }
      let more: Int64 =
        change.isTakingBack
        ? min(due - change.before.dueItems(of: item.quantity), owned) : min(0, due - had)
      if more != 0 { items.append((item.item, -more)) }
    }
    return items
  }

  /// A refund before a merge was booked for the owner at that time.
  private static func itemsOfRefund(
    _ work: borrowing UnitOfWork, _ refund: RefundRow, of owner: CustomerNumber
  ) throws(LedgerError) -> [ItemEntryRow] {
    if let own = work.parts(of: refund.transaction) { return own.items }
    let owners = try work.customers.related(to: owner)
    return try TransactionParts.find(refund.transaction, ofAny: owners, in: work.session)?.items ?? []
  }

  /// Freezes the owner, or lifts the freezes of this purchase's refunds.
  ///
  /// - Returns: 1 if it froze the owner, -1 if it lifted a freeze.
  static func freeze(
    _ work: inout UnitOfWork, _ owner: CustomerRow, after change: RefundChange
  ) throws(LedgerError) -> Int64 {
    guard change.freezes || change.isMadeGood else { return 0 }
    let frozen = try work.purchases.refunds(of: change.purchase).reduce(0) { $0 + $1.freezes }
    let event: Int64 = change.freezes ? 1 - frozen : -frozen
    guard event != 0 else { return 0 }
    var row = try work.customers.known(owner.number)
    row.frozen = FreezeRules.frozen(row.frozen, byRefunds: event)
    if row.frozen == 0 { row.frozenReason = nil }
    if event > 0, row.frozenReason == nil { row.frozenReason = FreezeRules.refundReason }
    work.customers.change(row)
    return event
  }
}
