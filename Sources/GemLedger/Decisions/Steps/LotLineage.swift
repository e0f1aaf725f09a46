/// Traces currency to its purchase, through transfers and exchanges.
///
/// Transferred or exchanged currency keeps source, environment, share of the price, expiry and lineage. Otherwise an
/// exchange there and back would turn sandbox currency into real currency, and put bought currency out of a refund's
/// reach.
enum LotLineage {
  /// Returns a lot's lineage, and the number of lots between the lot and its original.
  static func lineage(_ work: borrowing UnitOfWork, of row: LotRow) throws(LedgerError) -> (
    lineage: Lineage?, steps: Int
  ) {
    if let purchase = row.purchase { return (Lineage(originalLot: row.number, purchase: purchase), 0) }
    // Lots of all other sources have no lineage.
    guard row.source == .paid || row.source == .bonus else { return (nil, 0) }
    let owner = row.account.customer
    var attributes = try Self.attributes(work, of: row.number, near: owner)
    var steps = 0
    while let known = attributes, known.purchase == nil, known.originalLot != 0, steps < Self.lineageStepsMax {
      attributes = try Self.attributes(work, of: known.originalLot, near: owner)
      steps += 1
    }
    guard let attributes, let purchase = attributes.purchase else { return (nil, steps) }
    return (Lineage(originalLot: attributes.lot, purchase: purchase), steps)
  }

  private static func attributes(
    _ work: borrowing UnitOfWork, of lot: LotNumber, near owner: CustomerNumber
  ) throws(LedgerError) -> LotAttributesRow? {
    if let own = try work.accounts.attributes(of: lot, ofAny: [owner]) { return own }
    return try work.session.lotAttributes(lot)
  }

  /// Far more than ``lineageStepsKept``, so that only a damaged file reaches it.
  private static let lineageStepsMax = 1000

  /// From this number of steps on, a new lot names its original lot, so that repeated transfers do not lengthen the
  /// lineage.
  private static let lineageStepsKept = 16

  // MARK: Credits

  /// Turns a range of the plan's takes into credits.
  ///
  /// The lots keep source, environment, expiry and lineage, with their share of the price.
  static func credits(
    _ work: borrowing UnitOfWork, of amount: Int64, behind start: Int64, in plan: AccountPlan
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
      if take.lotSlot == .pool {
        let account = work.accounts[plan.slot].row
        credits.append(
          LotCredit(
            amount: part, source: take.source, environment: account.poolEnvironment, originalLot: account.poolLot))
        continue
      }
      let row = work.accounts.lot(take.lotSlot, of: plan.slot)
      credits.append(try credit(work, of: part, behind: from, out: row))
    }
    return credits
  }

  /// Returns the share of a lot's currency that follows the first `start` of its remainder.
  static func credit(
    _ work: borrowing UnitOfWork, of amount: Int64, behind start: Int64, out row: LotRow
  ) throws(LedgerError) -> LotCredit {
    let burnt = row.granted - row.remaining + start
    let price = row.price.map { PriceShares.value(of: burnt..<burnt + amount, price: $0, granted: row.granted) }
    var credit = LotCredit(
      amount: amount, source: row.source, environment: row.environment, price: price, expiresAt: row.expiresAt,
      originalLot: row.number)
    let (lineage, steps) = try lineage(work, of: row)
    guard let lineage else { return credit }
    credit.lineage = lineage
    if steps >= Self.lineageStepsKept { credit.originalLot = lineage.originalLot }
    guard credit.isPooled else { return credit }
    // A bonus has no price. Without a price it would join the pooled currency, which has no lineage.
    let paid = try work.purchases.find(lineage.purchase)?.price?.currency
    credit.price = Money(minorUnits: 0, currency: paid ?? Self.unknownPriceCurrency)
    return credit
  }

  /// The ISO 4217 code for transactions without a currency, since a price needs a code.
  private static let unknownPriceCurrency = "XXX"

  /// Finds the customer's refunded purchase that a lot's currency originates from.
  static func refundedPurchase(
    _ work: borrowing UnitOfWork, behind row: LotRow, of owner: FoundCustomer
  ) throws(LedgerError) -> Int64? {
    guard let purchase = try lineage(work, of: row).lineage?.purchase,
      try work.isRefunded(purchase, of: owner)
    else { return nil }
    return purchase
  }
}
