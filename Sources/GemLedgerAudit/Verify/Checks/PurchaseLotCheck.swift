internal import GemLedger

/// Checks that every purchase made the lots that follow from its frozen terms, price and environment.
struct PurchaseLotCheck {
  /// The number of lots that the journal's purchases made.
  private(set) var lotCount: Int64 = 0
  /// The number of each item that the terms of purchases grant.
  private(set) var itemsPromised: [ItemID: Int128] = [:]
  private let context: VerifyContext
  private let products: FrozenProducts

  init(_ context: VerifyContext, _ products: FrozenProducts) {
    self.context = context
    self.products = products
  }

  mutating func check(
    _ page: [PurchaseRow], _ entries: [TransactionNumber: [EntryRow]]
  ) throws(LedgerError) {
    let own = page.flatMap { entries[$0.transaction] ?? [] }
    let allocations = try context.snapshot.allocations(
      of: own.filter { $0.lot == 0 }.map { RowAddress($0.number, of: $0.account.customer) })
    // An amount that is taken again at once repays a debt.
    func granted(by entry: EntryRow) -> [GrantedLot] {
      if entry.lot != 0 { return [GrantedLot(lot: entry.lot, amount: entry.amount)] }
      return (allocations[entry.number] ?? []).filter { $0.amount > 0 }.map {
        GrantedLot(lot: $0.lot, amount: $0.amount)
      }
    }
    let addresses = own.flatMap { entry in granted(by: entry).map { RowAddress($0.lot, of: entry.account.customer) } }
    let lots = try context.snapshot.lotAttributes(addresses)
    for row in page {
      var found: [Int64: [GrantedLot]] = [:]
      for entry in entries[row.transaction] ?? [] where entry.kind == .purchase {
        found[entry.account.currency, default: []] += granted(by: entry)
      }
      lotCount += found.values.reduce(0) { $0 + Int64($1.count) }
      check(row, found, lots)
    }
  }

  /// A lot of a purchase's credit, and the amount credited to it.
  private struct GrantedLot {
    let lot: LotNumber
    let amount: Int64
  }

  private mutating func check(
    _ row: PurchaseRow, _ found: [Int64: [GrantedLot]], _ lots: [LotNumber: LotAttributesRow]
  ) {
    // Another check reports unreadable terms, and amounts that no terms grant.
    guard let product = products.product(row.frozenProduct),
      let credits = credits(of: row, product, terms(of: found, lots, row, product))
    else { return }
    for grant in product.itemGrants {
      itemsPromised[grant.item, default: 0] += Int128(grant.quantity) * Int128(row.quantity)
    }
    if product.code != row.product {
      context.report(
        "purchases_have_terms", "purchase \(row.number) is of \(row.product); its terms are those of \(product.code)")
    }
    var expected: [Int64: [LotCredit]] = [:]
    for (code, credits) in credits {
      guard let currency = context.definitions.currency(code)?.number else { continue }
      expected[currency, default: []] += credits
    }
    for (currency, credits) in expected.inKeyOrder {
      let own = found[currency] ?? []
      guard own.map(\.amount) == credits.map(\.amount) else {
        context.report(
          "purchases_make_their_lots", currency: currency,
          "purchase \(row.number) put \(own.map(\.amount)) into its lots; its terms give \(credits.map(\.amount))")
        continue
      }
      for (lot, credit) in zip(own, credits) {
        guard let attributes = lots[lot.lot] else { continue }
        check(attributes, made: credit, by: row, currency: currency)
      }
    }
  }

  /// Returns the expected attributes of a lot of the purchase.
  ///
  /// An unpaid purchase has only bonus lots without prices; a trial may have another amount.
  private func terms(
    of found: [Int64: [GrantedLot]], _ lots: [LotNumber: LotAttributesRow], _ row: PurchaseRow, _ product: Product
  ) -> StorePurchase.Terms {
    let own = found.values.joined()
    let isFree = !own.isEmpty && own.allSatisfy { lots[$0.lot].map { $0.source == .bonus && $0.price == nil } ?? false }
    guard isFree, product.grants.contains(where: { $0.amount > 0 }) else { return .paid }
    let isWhole = credits(of: row, product, .free)?.allSatisfy { code, credits in
      let currency = context.definitions.currency(code)?.number ?? 0
      return found[currency]?.map(\.amount) == credits.map(\.amount)
    }
    return isWhole == true ? .free : .trial
  }

  private func check(_ found: LotAttributesRow, made credit: LotCredit, by row: PurchaseRow, currency: Int64) {
    var expected = LotAttributesRow(
      lot: found.lot, source: credit.source, environment: credit.environment, price: credit.price,
      purchase: credit.purchase, expiresAt: credit.expiresAt)
    // Storages recorded cycles that ended before 1970 in different ways.
    if expected.expiresAt < 0 { expected.expiresAt = found.expiresAt }
    guard found != expected else { return }
    context.report(
      "purchases_make_their_lots", currency: currency,
      "lot \(found.lot) is \(found.text); purchase \(row.number) made it as \(expected.text)")
  }

  /// Returns the credits of the purchase from its frozen grant, price and quantity; nil if they exceed the limits.
  private func credits(
    of row: PurchaseRow, _ product: Product, _ terms: StorePurchase.Terms
  ) -> [(CurrencyCode, [LotCredit])]? {
    let purchase = StorePurchase(
      store: row.identity.store, environment: .production, transactionID: row.identity.transactionID,
      product: row.product, quantity: row.quantity, price: row.price, purchasedAt: row.purchasedAt,
      cycleEndsAt: row.expiresAt, originalTransactionID: row.originalTransactionID, terms: terms)
    return try? PurchaseRules.credits(
      of: product, for: purchase, number: row.number, environment: row.identity.environment)
  }
}
