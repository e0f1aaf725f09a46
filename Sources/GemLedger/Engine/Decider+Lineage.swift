/// The lot of a purchase that a lot's currency came out of, through transfers and exchanges.
struct Lineage {
  let root: LotNumber
  /// The purchase's number.
  let purchase: Int64
}

// Currency that is transferred or exchanged keeps source, environment, share of the price, expiry and lineage.
// Otherwise an exchange there and back would make sandbox currency real, and bring bought currency out of a refund's
// reach.

extension Decider {
  /// A lot's lineage, and how many lots lie between the lot and its root.
  private func lineage(
    of row: LotRow, session: any StorageSnapshot
  ) throws(LedgerError) -> (lineage: Lineage?, steps: Int) {
    if let purchase = row.purchase { return (Lineage(root: row.number, purchase: purchase), 0) }
    // Only purchases make lots of these sources that other lots may come out of.
    guard row.source == .paid || row.source == .bonus else { return (nil, 0) }
    let owner = row.account.customer
    var terms = try terms(of: row.number, near: owner, session: session)
    var steps = 0
    while let known = terms, known.purchase == nil, known.origin != 0, steps < Self.lineageStepsMax {
      terms = try self.terms(of: known.origin, near: owner, session: session)
      steps += 1
    }
    guard let terms, let purchase = terms.purchase else { return (nil, steps) }
    return (Lineage(root: terms.lot, purchase: purchase), steps)
  }

  private func terms(
    of lot: LotNumber, near owner: CustomerNumber, session: any StorageSnapshot
  ) throws(LedgerError) -> LotTermsRow? {
    if let own = try set.lotTerms(lot, of: [owner], session: session) { return own }
    return try session.lotTerms(lot)
  }

  /// Far more than ``lineageStepsKept``, so that only a damaged file reaches it.
  private static let lineageStepsMax = 1000
  /// From so many steps on, a new lot names its root, so that no lineage gets long by going to and fro.
  private static let lineageStepsKept = 16

  // MARK: Credits

  /// What becomes of a stretch of what a plan takes: lots of the same source, environment, expiry and lineage, with
  /// their share of the price.
  mutating func credits(
    of amount: Int64, behind start: Int64, in plan: AccountPlan, session: any StorageSnapshot
  ) throws(LedgerError) -> [LotCredit] {
    var (skipped, rest) = (start, amount)
    var credits: [LotCredit] = []
    for take in plan.takes where rest > 0 {
      let whole = -take.amount
      let from = min(skipped, whole)
      skipped -= from
      let part = min(rest, whole - from)
      guard part > 0 else { continue }
      rest -= part
      if take.place == .pool {
        let account = set.accounts[plan.slot].row
        credits.append(
          LotCredit(
            amount: part, source: take.source, environment: account.poolEnvironment, origin: account.poolLot))
        continue
      }
      let row = set.books[set.book(of: plan.slot)][take.place].row
      credits.append(try credit(of: part, behind: from, out: row, session: session))
    }
    return credits
  }

  private func credit(
    of amount: Int64, behind start: Int64, out row: LotRow, session: any StorageSnapshot
  ) throws(LedgerError) -> LotCredit {
    let burnt = row.granted - row.remaining + start
    let price = row.price.map { PriceShares.value(of: burnt..<burnt + amount, price: $0, granted: row.granted) }
    var credit = LotCredit(
      amount: amount, source: row.source, environment: row.environment, price: price, expiresAt: row.expiresAt,
      origin: row.number)
    let (lineage, steps) = try lineage(of: row, session: session)
    guard let lineage else { return credit }
    credit.lineage = lineage
    if steps >= Self.lineageStepsKept { credit.origin = lineage.root }
    guard credit.isPooled else { return credit }
    // A bonus has no price. Without one it would join the pooled currency, which has no lineage.
    let paid = try purchase(lineage.purchase, session: session)?.price?.currency
    credit.price = Money(minorUnits: 0, currency: paid ?? Self.unknownPriceCurrency)
    return credit
  }

  /// The code that ISO 4217 has for no currency.
  private static let unknownPriceCurrency = "XXX"

  /// Names the pool as the lot of a plan that takes from nothing else, so that credits can be made of it.
  mutating func nameLots(of index: Int) {
    guard plans[index].isAllInPool else { return }
    let account = set.accounts[plans[index].slot].row
    let source = LotSource(rawValue: account.poolSource) ?? .admin
    plans[index].isAllInPool = false
    plans[index].takes = [LotTake(place: .pool, lot: account.poolLot, source: source, amount: plans[index].amount)]
  }

  /// Makes the lots that an exchange gives out of those that it takes.
  mutating func planExchanged(
    _ given: Int, into got: Int, session: any StorageSnapshot
  ) throws(LedgerError) {
    nameLots(of: given)
    var credits = try credits(of: -plans[given].amount, behind: 0, in: plans[given], session: session)
    let shares = ExchangeRules.shares(of: plans[got].amount, over: credits.map(\.amount))
    for (index, share) in shares.enumerated() { credits[index].amount = share }
    credits.removeAll { $0.amount == 0 }
    if credits.count == 1 { planCredit(got, credits[0]) } else { plans[got].credits = credits }
  }

  // MARK: Refunded purchases

  /// Takes what came out of refunded purchases of the customer for what their refunds let go.
  ///
  /// It comes back to the customer by an exchange or a basket as it does by a reversal, and one rule is for both.
  ///
  /// - Returns: The entries of the refunds.
  mutating func reclaimLineage(
    after transaction: TransactionNumber, owner: FoundCustomer, _ extras: inout ReceiptExtras,
    session: any StorageSnapshot
  ) throws(LedgerError) -> [PostedEntry] {
    var returned: [Int64: [ReturnedCurrency]] = [:]
    for plan in plans where plan.amount > 0 && !plan.isAllInPool {
      for (credit, take) in zip(plan.credits.filter({ $0.amount > 0 }), plan.takes) {
        guard let purchase = credit.lineage?.purchase else { continue }
        // What repaid a debt has left the lot already.
        let rest = plan.takes.filter { $0.lot == take.lot }.reduce(0) { $0 + $1.amount }
        guard rest > 0 else { continue }
        returned[purchase, default: []].append(
          ReturnedCurrency(slot: plan.slot, place: take.place, lot: take.lot, source: take.source, amount: rest))
      }
    }
    return try reclaim(returned, after: transaction, owner: owner, &extras, session: session)
  }

  /// Takes what a merge brought to the customer whose refunds let it go; else a second account kept it from them.
  ///
  /// - Returns: The entries of the refunds.
  mutating func reclaimMerged(
    after transaction: TransactionNumber, owner: FoundCustomer, _ extras: inout ReceiptExtras,
    session: any StorageSnapshot
  ) throws(LedgerError) -> [PostedEntry] {
    var returned: [Int64: [ReturnedCurrency]] = [:]
    for currency in terms.currencies {
      let slot = try set.slot(of: AccountNumber(customer: owner.number, currency: currency.number), session: session)
      guard set.accounts[slot].row.openLots > 0 else { continue }
      let book = try wholeBook(of: slot, session: session)
      for row in set.books[book].rows
      where row.purchase == nil && row.remaining > 0 && row.expiresAt > set.now.milliseconds {
        guard let purchase = try lineage(of: row, session: session).lineage?.purchase,
          let place = set.books[book].place(of: row.number)
        else { continue }
        returned[purchase, default: []].append(
          ReturnedCurrency(slot: slot, place: place, lot: row.number, source: row.source, amount: row.remaining))
      }
    }
    return try reclaim(returned, after: transaction, owner: owner, &extras, session: session)
  }

  /// - Parameter returned: By the numbers of the purchases that it came out of.
  private mutating func reclaim(
    _ returned: [Int64: [ReturnedCurrency]], after transaction: TransactionNumber, owner: FoundCustomer,
    _ extras: inout ReceiptExtras, session: any StorageSnapshot
  ) throws(LedgerError) -> [PostedEntry] {
    var (entries, taken): ([PostedEntry], [ReturnedCurrency]) = ([], [])
    for (number, returns) in returned.sorted(by: { $0.key < $1.key }) {
      guard try isRefunded(number, of: owner, session: session) else { continue }
      entries += try reclaim(returns, of: number, after: transaction, owner: owner, &taken, session: session)
    }
    for returned in taken {
      guard let code = terms.currency(number: set.accounts[returned.slot].row.number.currency)?.code else { continue }
      extras.reclaimed = Self.sum(extras.reclaimed, [CurrencyAmount(currency: code, amount: returned.amount)])
    }
    return entries
  }

  private func isRefunded(
    _ number: Int64, of owner: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> Bool {
    guard let row = try purchase(number, session: session), row.refund != nil else { return false }
    return try self.owner(of: row, session: session).number == owner.number
  }

  /// The refunded purchase of the customer that a lot's currency came out of.
  func refundedPurchase(
    behind row: LotRow, of owner: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> Int64? {
    guard let purchase = try lineage(of: row, session: session).lineage?.purchase,
      try isRefunded(purchase, of: owner, session: session)
    else { return nil }
    return purchase
  }

  /// Loads all lots of an account.
  ///
  /// - Returns: The place of their book.
  mutating func wholeBook(of slot: Int, session: any StorageSnapshot) throws(LedgerError) -> Int {
    let book = set.book(of: slot)
    for isPaid in [false, true] {
      while !(isPaid ? set.books[book].paid : set.books[book].free).isComplete {
        try loadLots(slot: slot, book: book, paid: isPaid, session: session)
      }
    }
    return book
  }

  /// Takes from the account's lots that came out of the purchase's own through exchanges and transfers.
  mutating func takeDescendants(
    of granted: RefundChange.Granted, _ rest: inout [Int64], _ available: inout Int64, _ index: Int,
    _ change: inout RefundChange, session: any StorageSnapshot
  ) throws(LedgerError) -> [LotTake] {
    let slot = plans[index].slot
    guard available > 0, rest.contains(where: { $0 > 0 }), set.accounts[slot].row.openLots > 0 else { return [] }
    let book = try wholeBook(of: slot, session: session)
    let candidates = set.books[book].rows.filter { row in
      row.purchase == nil && row.remaining > 0 && row.expiresAt > set.now.milliseconds
    }
    var takes: [LotTake] = []
    for row in candidates where available > 0 {
      guard let lineage = try lineage(of: row, session: session).lineage,
        let position = granted.lots.firstIndex(where: { $0.lot == lineage.root }), rest[position] > 0,
        let place = set.books[book].place(of: row.number)
      else { continue }
      let part = min(rest[position], row.remaining, available)
      rest[position] -= part
      available -= part
      takes.append(LotTake(place: place, lot: row.number, source: row.source, amount: -part))
      change.parts.append(
        .init(lot: granted.lots[position].lot, kind: .taken, source: row.number, amount: part))
    }
    return takes
  }
}
