internal import GemLedger

/// Checks that every purchase has its transaction, and that the transaction credited the frozen grant.
struct PurchaseCheck {
  private let context: VerifyContext
  private let products: FrozenProducts
  private(set) var lots: PurchaseLotCheck

  init(_ context: VerifyContext, _ products: FrozenProducts) {
    self.context = context
    self.products = products
    lots = PurchaseLotCheck(context, products)
  }

  /// - Parameter purchaseCount: The number of transactions of the same snapshot that credit purchases.
  mutating func run(purchaseCount: Int64) throws(LedgerError) {
    let environments = Set(try context.snapshot.environments().map(\.number))
    var count: Int64 = 0
    try context.pages(after: .blank) { (page: [PurchaseRow]) throws(LedgerError) in
      let addresses = page.map { RowAddress($0.transaction, of: $0.customer) }
      let transactions = try context.snapshot.transactions(addresses)
      let entries = try context.snapshot.entries(of: addresses)
      try lots.check(page, entries)
      for row in page {
        check(row, transactions[row.transaction], entries[row.transaction] ?? [])
        let environment = row.identity.environment
        if environment >= EnvironmentRow.firstDrawnNumber, !environments.contains(environment) {
          context.report(
            "environments_are_known", "purchase \(row.number) is of environment number \(environment), which is missing"
          )
        }
      }
      count += Int64(page.count)
    }
    if count != purchaseCount {
      context.report(
        "purchases_are_complete", "there are \(count) purchases; the journal has \(purchaseCount) credits of purchases")
    }
  }

  private static func amounts(
    of row: PurchaseRow, _ product: Product, in context: VerifyContext, _ amount: (Grant) -> Int128
  ) -> [Int64: Int128] {
    var amounts: [Int64: Int128] = [:]
    for grant in product.grants {
      guard let currency = context.definitions.currency(grant.currency) else { continue }
      let whole = amount(grant) * Int128(row.quantity)
      if whole != 0 { amounts[currency.number] = whole }
    }
    return amounts
  }

  private func check(_ row: PurchaseRow, _ transaction: TransactionRow?, _ entries: [EntryRow]) {
    guard let transaction, transaction.kind == .purchase, transaction.customer == row.customer else {
      context.report(
        "purchases_have_transactions",
        "purchase \(row.number) names transaction \(row.transaction), which is missing or not its credit")
      return
    }
    guard let product = products.product(row.frozenProduct) else {
      context.report("purchases_have_terms", "the terms of purchase \(row.number) are unreadable")
      return
    }
    var found: [Int64: Int128] = [:]
    for entry in entries {
      found[entry.account.currency, default: 0] += Int128(entry.amount)
    }
    // A trial may grant other amounts; another check compares its lots.
    let expected = Self.amounts(of: row, product, in: context) { Int128($0.amount) + Int128($0.bonus) }
    let trial = Self.amounts(of: row, product, in: context) {
      $0.trial.map { Int128($0) } ?? Int128($0.amount) + Int128($0.bonus)
    }
    if found != expected, found != trial {
      context.report(
        "purchases_credit_their_terms",
        "purchase \(row.number) of \(row.quantity) \(row.product) credited \(found.values.sorted()), its terms give "
          + "\(expected.values.sorted())")
    }
    guard let grant = row.grant else { return }
    let given = entries.map { LotAmount(currency: $0.account.currency, lot: $0.lot, amount: $0.amount) }
    if given != [grant] || !product.itemGrants.isEmpty {
      context.report(
        "purchases_know_what_they_gave", currency: grant.currency,
        "purchase \(row.number) records its whole grant as \(grant.amount) in lot \(grant.lot); its transaction "
          + "\(row.transaction) differs")
    }
  }
}
