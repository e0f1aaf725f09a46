/// How a refund, or its reversal, changes what is clawed back of a purchase, before it is booked.
package struct RefundChange {
  /// What a purchase put into one of its lots.
  package struct GrantedLot {
    package let lot: LotNumber
    package let source: LotSource
    package let amount: Int64
  }

  /// What a purchase gave of one currency: its paid lot before its bonus lot.
  package struct Granted {
    package let currency: CurrencyTerms
    package var lots: [GrantedLot]

    var amount: Int64 { lots.reduce(0) { $0 + $1.amount } }

    /// What is due of each lot for a share of the purchase.
    package func due(_ share: RefundShare) -> [Int64] {
      RefundRules.split(share.due(of: amount), over: lots.map(\.amount))
    }
  }

  struct Part {
    let lot: LotNumber
    let kind: RefundPartRow.Kind
    var source: LotNumber = 0
    let amount: Int64
  }

  let purchase: PurchaseRow
  let owner: FoundCustomer
  let before: RefundShare
  let share: RefundShare
  var granted: [Granted] = []
  /// The items that the purchase gave.
  var givenItems: [ItemEntryRow] = []
  var parts: [Part] = []
  /// Whether some of it is lost in a currency whose policy is to freeze then.
  var freezes = false
  /// Whether nothing of the purchase is lost any more.
  var isMadeGood = false

  init(purchase: PurchaseRow, owner: FoundCustomer, to share: RefundShare) {
    self.purchase = purchase
    self.owner = owner
    before = purchase.refund?.share ?? .none
    self.share = share
  }

  var isTakingBack: Bool { share > before }

  /// What the transaction of a purchase gave, in the order of codes.
  package static func granted(by parts: TransactionParts, terms: CatalogTerms) -> [Granted] {
    var granted: [Granted] = []
    for entry in parts.entries {
      guard let currency = terms.currency(number: entry.account.currency) else { continue }
      var allocations = parts.allocations.filter { $0.entry == entry.number }.map { ($0.lot, $0.amount) }
      if entry.lot != 0 { allocations = [(entry.lot, entry.amount)] }
      // What repaid a debt at once was granted all the same.
      let lots = allocations.filter { $0.1 > 0 }.map { (lot, amount) in
        GrantedLot(lot: lot, source: parts.sources[lot] ?? .paid, amount: amount)
      }
      granted.append(Granted(currency: currency, lots: lots))
    }
    return granted.sorted { $0.currency.code < $1.currency.code }
  }
}

extension Decider {
  /// What the purchase gave; without the sources of its lots.
  func given(
    by purchase: PurchaseRow, session: any StorageSnapshot
  ) throws(LedgerError) -> (granted: [RefundChange.Granted], items: [ItemEntryRow]) {
    if let sole = purchase.grant, let currency = terms.currency(number: sole.currency) {
      let lot = RefundChange.GrantedLot(lot: sole.lot, source: .paid, amount: sole.amount)
      return ([RefundChange.Granted(currency: currency, lots: [lot])], [])
    }
    let parts = try postings(of: purchase, session: session)
    return (RefundChange.granted(by: parts, terms: terms), parts.items)
  }

  private func postings(
    of purchase: PurchaseRow, session: any StorageSnapshot
  ) throws(LedgerError) -> TransactionParts {
    if let own = set.parts(of: purchase.transaction) { return own }
    guard let row = try session.transaction(purchase.transaction, of: purchase.customer),
      row.customer == purchase.customer
    else {
      throw LedgerError(
        .storageDamaged, "The journal lacks transaction \(purchase.transaction), which a purchase names; run verify.")
    }
    return try session.postings(of: row)
  }

  /// What items come back or go with the change.
  mutating func items(
    of change: RefundChange, session: any StorageSnapshot
  ) throws(LedgerError) -> [(ItemID, Int64)] {
    guard !change.givenItems.isEmpty else { return [] }
    var taken: [ItemID: Int64] = [:]
    for refund in try set.refunds(of: change.purchase, session: session) {
      for item in try itemsOfRefund(refund, of: change.owner.number, session: session) {
        taken[item.item, default: 0] -= item.quantity
      }
    }
    var items: [(ItemID, Int64)] = []
    for item in change.givenItems {
      let due = change.share.dueItems(of: item.quantity)
      let had = taken[item.item] ?? 0
      let owned = try set.owned(item.item, customer: change.owner.number, session: session)
      let more: Int64 =
        change.isTakingBack
        ? min(due - change.before.dueItems(of: item.quantity), owned) : min(0, due - had)
      if more != 0 { items.append((item.item, -more)) }
    }
    return items
  }

  /// A refund before a merge was booked for whom the purchase was with then.
  private func itemsOfRefund(
    _ refund: RefundRow, of owner: CustomerNumber, session: any StorageSnapshot
  ) throws(LedgerError) -> [ItemEntryRow] {
    if let own = set.parts(of: refund.transaction) { return own.items }
    let owners = try set.numbers(of: owner, session: session)
    return try session.parts(of: refund.transaction, ofAny: owners)?.items ?? []
  }

  /// Freezes the owner, or lifts what this purchase's refunds froze.
  ///
  /// - Returns: 1 where it froze, -1 where it lifted.
  mutating func freeze(
    _ owner: CustomerRow, after change: RefundChange, session: any StorageSnapshot
  ) throws(LedgerError) -> Int64 {
    guard change.freezes || change.isMadeGood else { return 0 }
    let frozen = try set.refunds(of: change.purchase, session: session).reduce(0) { $0 + $1.freezes }
    let effect: Int64 = change.freezes ? 1 - frozen : -frozen
    guard effect != 0 else { return 0 }
    var row = try set.knownCustomer(owner.number, session: session)
    row.frozen = FreezeRules.frozen(row.frozen, byRefunds: effect)
    if row.frozen == 0 { row.frozenReason = nil }
    if effect > 0, row.frozenReason == nil { row.frozenReason = FreezeRules.refundReason }
    set.change(row)
    return effect
  }
}
