internal import GemLedger

extension Verifier {
  /// Every key names a transaction of its customer, or keeps a refusal.
  mutating func checkKeys() throws(LedgerError) {
    var position: KeyScanPosition?
    while true {
      let page = try scan.keys(after: position, limit: ScanPage.size)
      guard let end = page.last?.1 else { return }
      var booked: [RowAddress] = []
      for (row, _) in page {
        if case .booked(let number) = row.outcome { booked.append(RowAddress(number, of: row.customer)) }
      }
      let transactions = try snapshot.transactions(booked)
      for address in booked where transactions[address.number]?.customer != address.customer {
        report(
          "keys_have_transactions",
          "a key of customer number \(address.customer ?? 0) names transaction \(address.number), which is missing or "
            + "another's")
      }
      try checkOwners(of: page.map(\.0), transactions)
      position = end
    }
  }

  /// Checks that every purchase has its transaction, and that the transaction credited the frozen grant.
  mutating func checkPurchases() throws(LedgerError) {
    let environments = Set(try snapshot.environments().map(\.number))
    var last: Int64 = 0
    var count: Int64 = 0
    while true {
      let page = try scan.purchases(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { break }
      let addresses = page.map { RowAddress($0.transaction, of: $0.customer) }
      let transactions = try snapshot.transactions(addresses)
      let entries = try snapshot.entries(of: addresses)
      try checkLots(of: page, entries)
      for row in page {
        check(row, transactions[row.transaction], entries[row.transaction] ?? [])
        let environment = row.identity.environment
        if environment >= EnvironmentRow.firstDrawnNumber, !environments.contains(environment) {
          report(
            "environments_are_known", "purchase \(row.number) is of environment number \(environment), which is missing"
          )
        }
      }
      count += Int64(page.count)
      last = end
    }
    if count != purchaseCount {
      report(
        "purchases_are_complete", "there are \(count) purchases; the journal has \(purchaseCount) credits of purchases")
    }
  }

  private mutating func check(_ row: PurchaseRow, _ transaction: TransactionRow?, _ entries: [EntryRow]) {
    guard let transaction, transaction.kind == .purchase, transaction.customer == row.customer else {
      report(
        "purchases_have_transactions",
        "purchase \(row.number) names transaction \(row.transaction), which is missing or not its credit")
      return
    }
    guard let product = product(row.frozenProduct) else {
      report("purchases_have_terms", "the terms of purchase \(row.number) cannot be read")
      return
    }
    var expected: [Int64: Int128] = [:]
    for grant in product.grants {
      guard let currency = definitions.currency(grant.currency) else { continue }
      let amount = (Int128(grant.amount) + Int128(grant.bonus)) * Int128(row.quantity)
      if amount != 0 { expected[currency.number] = amount }
    }
    var found: [Int64: Int128] = [:]
    for entry in entries {
      found[entry.account.currency, default: 0] += Int128(entry.amount)
    }
    if found != expected {
      report(
        "purchases_credit_their_terms",
        "purchase \(row.number) of \(row.quantity) \(row.product) credited \(found.values.sorted()), its terms give "
          + "\(expected.values.sorted())")
    }
    guard let grant = row.grant else { return }
    let given = entries.map { LotAmount(currency: $0.account.currency, lot: $0.lot, amount: $0.amount) }
    if given != [grant] || !product.itemGrants.isEmpty {
      report(
        "purchases_know_what_they_gave", currency: grant.currency,
        "purchase \(row.number) says that all it gave is \(grant.amount) in lot \(grant.lot); its transaction "
          + "\(row.transaction) says otherwise")
    }
  }

  /// Reads a frozen product; purchases repeat few products, and each is read once.
  mutating func product(_ document: String) -> Product? {
    if let known = products[ByteString(document)] { return known }
    let product: Product?
    do { product = try Product(json: try JSONValue.parse(document)) } catch { product = nil }
    if products.count >= Self.productCountMax { products.removeAll() }
    products[ByteString(document)] = .some(product)
    return product
  }

  /// Checks that the items that customers own are the sums of their transactions.
  mutating func checkItems() throws(LedgerError) {
    var owned: [CustomerNumber: [ItemID: Int128]] = [:]
    var last: ItemEntryRow?
    while true {
      let page = try scan.itemEntries(after: last, limit: ScanPage.size)
      if page.isEmpty { break }
      for row in page {
        owned[row.customer, default: [:]][row.item, default: 0] += Int128(row.quantity)
        if owned[row.customer]?[row.item] != Int128(row.owned) {
          report(
            "items_replay",
            "transaction \(row.transaction) leaves customer number \(row.customer) with \(row.owned) of "
              + "\"\(row.item)\"; the replay gives \(owned[row.customer]?[row.item] ?? 0)")
        }
      }
      try countItems(of: page)
      last = page.last
    }
    checkItemsDue()
    try compareOwned(&owned)
  }

  private mutating func compareOwned(_ owned: inout [CustomerNumber: [ItemID: Int128]]) throws(LedgerError) {
    var last: OwnedItemRow?
    while true {
      let page = try scan.ownedItems(after: last, limit: ScanPage.size)
      if page.isEmpty { break }
      for row in page {
        let replayed = owned[row.customer]?.removeValue(forKey: row.item) ?? 0
        if replayed != Int128(row.quantity) {
          report(
            "items_replay",
            "customer number \(row.customer) owns \(row.quantity) of \"\(row.item)\"; the replay gives \(replayed)")
        }
      }
      last = page.last
    }
    for (customer, items) in owned {
      for (item, quantity) in items where quantity != 0 {
        report("items_replay", "customer number \(customer) should own \(quantity) of \"\(item)\" and has no row of it")
      }
    }
  }
}
