internal import GemLedger

/// State that the equations between rows keep from one page of rows to the next.
struct EquationState {
  /// How many lots the journal's purchases made.
  var purchaseLotCount: Int64 = 0
  /// How many of each item the terms of purchases give, less how many their transactions brought.
  var itemsDue: [ItemID: Int128] = [:]
  /// How many of each item came to customers from others, less how many went.
  var itemsMoved: [ItemID: Int128] = [:]
  /// The sides of the exchange that the replay has come to.
  var exchange: ExchangeSides?
  /// Spends over several lots with an order to check, gathered for a batch read.
  var burns: [Burn] = []
  /// How many lots the gathered spends name.
  var burntLotCount = 0
  /// Merged and surviving customers.
  var merged: Set<CustomerNumber> = []
}

extension Verifier {
  /// Every purchase made the lots that its frozen terms, its price and its environment give.
  mutating func checkLots(
    of page: [PurchaseRow], _ entries: [TransactionNumber: [EntryRow]]
  ) throws(LedgerError) {
    let own = page.flatMap { entries[$0.transaction] ?? [] }
    let allocations = try snapshot.allocations(
      of: own.filter { $0.lot == 0 }.map { RowAddress($0.number, of: $0.account.customer) })
    // An amount that is taken again at once repays a debt.
    func granted(by entry: EntryRow) -> [GrantedLot] {
      if entry.lot != 0 { return [GrantedLot(lot: entry.lot, amount: entry.amount)] }
      return (allocations[entry.number] ?? []).filter { $0.amount > 0 }.map {
        GrantedLot(lot: $0.lot, amount: $0.amount)
      }
    }
    let addresses = own.flatMap { entry in granted(by: entry).map { RowAddress($0.lot, of: entry.account.customer) } }
    let lots = try snapshot.lotAttributes(addresses)
    for row in page {
      var found: [Int64: [GrantedLot]] = [:]
      for entry in entries[row.transaction] ?? [] where entry.kind == .purchase {
        found[entry.account.currency, default: []] += granted(by: entry)
      }
      equations.purchaseLotCount += found.values.reduce(0) { $0 + Int64($1.count) }
      check(row, found, lots)
    }
  }

  /// A lot of a purchase's credit, and the amount that the credit put into it.
  private struct GrantedLot {
    let lot: LotNumber
    let amount: Int64
  }

  private mutating func check(
    _ row: PurchaseRow, _ found: [Int64: [GrantedLot]], _ lots: [LotNumber: LotAttributesRow]
  ) {
    // Terms that cannot be read, and amounts that no terms give, are another equation's.
    guard let product = product(row.frozenProduct), let credits = credits(of: row, product) else { return }
    for grant in product.itemGrants {
      equations.itemsDue[grant.item, default: 0] += Int128(grant.quantity) * Int128(row.quantity)
    }
    if product.code != row.product {
      report(
        "purchases_have_terms", "purchase \(row.number) is of \(row.product); its terms are those of \(product.code)")
    }
    var expected: [Int64: [LotCredit]] = [:]
    for (code, credits) in credits {
      guard let currency = definitions.currency(code)?.number else { continue }
      expected[currency, default: []] += credits
    }
    for (currency, credits) in expected.sorted(by: { $0.key < $1.key }) {
      let own = found[currency] ?? []
      guard own.map(\.amount) == credits.map(\.amount) else {
        report(
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

  private mutating func check(_ found: LotAttributesRow, made credit: LotCredit, by row: PurchaseRow, currency: Int64) {
    var expected = LotAttributesRow(
      lot: found.lot, source: credit.source, environment: credit.environment, price: credit.price,
      purchase: credit.purchase, expiresAt: credit.expiresAt)
    // Storages wrote down differently that a cycle had ended before 1970.
    if expected.expiresAt < 0 { expected.expiresAt = found.expiresAt }
    guard found != expected else { return }
    report(
      "purchases_make_their_lots", currency: currency,
      "lot \(found.lot) is \(Self.text(found)); purchase \(row.number) made it as \(Self.text(expected))")
  }

  // MARK: Items

  /// Subtracts the items that purchases' transactions brought from the promised ones, and adds up items that customers
  /// gave others.
  mutating func countItems(of page: [ItemEntryRow]) throws(LedgerError) {
    // A merge's rows belong to two customers, and its transaction need not be found by the giving one.
    let transactions = try snapshot.transactions(page.map { RowAddress($0.transaction, of: $0.customer) })
    for row in page {
      switch survivors[row.transaction] == nil ? transactions[row.transaction]?.kind : .merge {
      case .purchase: equations.itemsDue[row.item, default: 0] -= Int128(row.quantity)
      // In a basket, bought or granted parts are currency alone.
      case .transfer, .mixed, .merge: equations.itemsMoved[row.item, default: 0] += Int128(row.quantity)
      default: break
      }
    }
  }

  mutating func checkItemsDue() {
    for (item, due) in equations.itemsDue.sorted(by: { $0.key < $1.key }) where due != 0 {
      report("purchases_credit_their_terms", "purchases brought \(-due) more of \"\(item)\" than their terms give")
    }
    for (item, sum) in equations.itemsMoved.sorted(by: { $0.key < $1.key }) where sum != 0 {
      report("items_cancel_out", "what customers gave each other of \"\(item)\" comes to \(sum), not to 0")
    }
  }

  // MARK: Terms

  /// Computes the credits of the purchase from its frozen grant, price and quantity; nil where they give more than
  /// there can be.
  private func credits(of row: PurchaseRow, _ product: Product) -> [(CurrencyCode, [LotCredit])]? {
    let purchase = StorePurchase(
      store: row.identity.store, environment: .production, transactionID: row.identity.transactionID,
      product: row.product, quantity: row.quantity, price: row.price, purchasedAt: row.purchasedAt,
      cycleEndsAt: row.expiresAt, originalTransactionID: row.originalTransactionID)
    return try? PurchaseRules.credits(
      of: product, for: purchase, number: row.number, environment: row.identity.environment)
  }
}
