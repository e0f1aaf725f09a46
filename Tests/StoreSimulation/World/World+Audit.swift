internal import GemLedger
internal import GemLedgerAudit
internal import StoreBackend
internal import StoreClient

extension World {
  /// The expected balance of a customer in a currency: exact, or within bounds if refunds take at most the remaining
  /// balance.
  private struct Expected {
    var least: Int64 = 0
    var most: Int64 = 0
  }

  /// Returns the ledger's deviations from the stores' records and the soak's expected results.
  ///
  /// - Parameter isFinal: Whether all pending work is done, so that nothing may be open.
  func audit(isFinal: Bool) throws(LedgerError) -> [String] {
    checkCount += 1
    var problems = recorder.read { $0.problems }
    var expected: [CustomerID: [CurrencyCode: Expected]] = [:]
    var granted: [CurrencyCode: Int64] = [:]
    for floor in drivers {
      for fact in floor.facts() {
        try check(fact, isFinal: isFinal, &expected, &granted, &problems)
      }
    }
    subtractSpends(&expected)
    try checkBalances(expected, &problems)
    if isFinal {
      try checkLots(&problems)
      try checkQueues(&problems)
      try checkBooks(granted, &problems)
    }
    return problems
  }

  private func check(
    _ fact: StoreFact, isFinal: Bool, _ expected: inout [CustomerID: [CurrencyCode: Expected]],
    _ granted: inout [CurrencyCode: Int64], _ problems: inout [String]
  ) throws(LedgerError) {
    let transaction = fact.transaction
    let name = "\(transaction.store) \(transaction.creditID)"
    let known = recorder.read { $0.known[transaction.creditID] }
    guard let purchase = try recorder.purchase(transaction) else {
      // A renewal that a later one replaced is known only from its notice, which can be lost or name an unknown buyer.
      let isExcused =
        transaction.isRenewalAtGoogle && (known == nil || !recorder.read { $0.knows(transaction.accountToken) })
      if isFinal, fact.isPaid, known?.revocation?.extent != .full, !isExcused {
        problems.append("\(name) was paid for and is not credited.")
      }
      return
    }
    guard let known else {
      problems.append("\(name) was credited, but never reached the backend.")
      return
    }
    if !fact.isPaid { problems.append("\(name) was credited without a payment.") }
    if !purchase.product.text.hasBytes(of: transaction.storeProductID) || purchase.quantity != transaction.quantity {
      problems.append("\(name) was credited as \(purchase.quantity) of \(purchase.product).")
    }
    // A receipt that was refused because of a refund is not finished; the background may have booked both since.
    if isFinal, !fact.isFinished, known.revocation?.extent != .full {
      problems.append("\(name) is credited, but not finished at the store.")
    }
    let owner = recorder.read { books in
      books.meet(purchase.customer)
      return books.identities.survivingCustomer(purchase.customer)
    }
    let buyer = recorder.read { books in
      books.buyer(of: transaction).map { books.identities.survivingCustomer($0) }
    }
    if let buyer, buyer != owner, !recorder.read({ $0.names(transaction, owner) }) {
      problems.append("\(name) was bought by \(buyer) and credited to \(owner).")
    }
    checkPrice(transaction, purchase, name, &problems)
    let share = isFinal ? Share(known) : Share(purchase, store: transaction.store)
    if isFinal, share != Share(purchase, store: transaction.store) {
      problems.append("\(name) is given back by \(share), and clawed back by \(purchase.refundedMilliPercent) m%.")
    }
    for (currency, amount) in grants(of: purchase.product, quantity: purchase.quantity) {
      let due = share.part(of: amount, quantity: purchase.quantity)
      granted[currency, default: 0] += amount
      expected[owner, default: [:]][currency, default: Expected()].least += amount - due
      // Coins are clawed back as far as the balance allows.
      expected[owner, default: [:]][currency, default: Expected()].most +=
        currency == wares.coin ? amount : amount - due
    }
  }

  /// Checks that the recorded price is the price that the store signed.
  private func checkPrice(
    _ transaction: StoreTransaction, _ purchase: Purchase, _ name: String, _ problems: inout [String]
  ) {
    guard !transaction.isFree, !transaction.isReplaced, purchase.price != transaction.price else { return }
    problems.append(
      "\(name) cost \(transaction.price.map(String.init(describing:)) ?? "nothing"), "
        + "and is recorded with \(purchase.price.map(String.init(describing:)) ?? "nothing").")
  }

  private func grants(of product: ProductCode, quantity: Int64) -> [(CurrencyCode, Int64)] {
    let grants = catalog.products.first { $0.code == product }?.grants ?? []
    return grants.map { ($0.currency, ($0.amount + $0.bonus) * quantity) }
  }

  private func subtractSpends(_ expected: inout [CustomerID: [CurrencyCode: Expected]]) {
    let spent = recorder.read { books in
      books.spent.map { (books.identities.survivingCustomer($0), $1) }
    }
    for (customer, amounts) in spent {
      for (currency, amount) in amounts {
        expected[customer, default: [:]][currency, default: Expected()].least -= amount
        expected[customer, default: [:]][currency, default: Expected()].most -= amount
      }
    }
  }

  private func checkBalances(
    _ expected: [CustomerID: [CurrencyCode: Expected]], _ problems: inout [String]
  ) throws(LedgerError) {
    for (survivingCustomer, ids) in groups() {
      let balances = try balances(ofAnyOf: ids)
      var wanted = expected[survivingCustomer] ?? [:]
      let tickets = recorder.read { $0.ticketsAvailable(to: survivingCustomer, at: now) }
      wanted[wares.ticket] = Expected(least: tickets, most: tickets)
      for currency in [wares.gem, wares.coin, wares.ticket] {
        let found = balances[currency] ?? 0
        let (least, most) = (wanted[currency]?.least ?? 0, wanted[currency]?.most ?? 0)
        guard found < least || found > most else { continue }
        problems.append(
          "\(survivingCustomer) has \(found) \(currency), and should have \(least == most ? "" : "up to ")\(most).")
      }
    }
  }

  /// The ids of each customer, in the order of ids.
  private func groups() -> [(survivingCustomer: CustomerID, ids: [CustomerID])] {
    let members = recorder.read { books in books.customers.map { (books.identities.survivingCustomer($0), $0) } }
    var groups: [CustomerID: [CustomerID]] = [:]
    for (survivor, id) in members { groups[survivor, default: []].append(id) }
    return groups.keys.sorted { $0.text < $1.text }.map { survivor in
      (survivingCustomer: survivor, ids: (groups[survivor] ?? []).sorted { $0.text < $1.text })
    }
  }

  /// Balances less debts, of the first of the ids that the ledger knows.
  private func balances(ofAnyOf ids: [CustomerID]) throws(LedgerError) -> [CurrencyCode: Int64] {
    for id in ids {
      do throws(LedgerError) {
        let balances = try ledger.balances(of: id)
        return Dictionary(balances.map { ($0.currency, $0.balance - $0.debt) }, uniquingKeysWith: +)
      } catch {
        guard error.code == .customerNotFound else { throw error }
      }
    }
    return [:]
  }

  private func checkQueues(_ problems: inout [String]) throws(LedgerError) {
    for app in everyApp {
      for item in try app.client().queueItems {
        let transaction = app.floor.transaction(item.storeTransactionID)
        let isExplained =
          item.status == .deadLettered && item.lastError?.code == .receiptRevoked
          && transaction?.revocation?.extent == .full
        guard !isExplained else { continue }
        let error = item.lastError.map { " (\($0.code): \($0.message))" } ?? ""
        problems.append("\(item.id) is left in the queue of device \(app.number), \(item.status.rawValue)\(error).")
      }
    }
  }

  private func checkBooks(_ granted: [CurrencyCode: Int64], _ problems: inout [String]) throws(LedgerError) {
    let verification = try ledger.verify()
    problems += verification.problems.map { "verify: \($0)" }
    for books in verification.currencies {
      let (credited, paid) = (books.kinds[.purchase] ?? 0, granted[books.currency] ?? 0)
      guard credited != paid else { continue }
      problems.append("\(credited) \(books.currency) were credited for purchases, and \(paid) were paid for.")
    }
  }

  /// Returns the report of the run up to now.
  func report() throws(LedgerError) -> SimulationReport {
    var (paid, renewals, credits, refunds, creditsWithoutToken) = (0, 0, 0, 0, 0)
    for floor in drivers {
      for fact in floor.facts() where fact.isPaid {
        paid += 1
        if fact.transaction.reason == .renewal { renewals += 1 }
        if fact.transaction.revocation != nil { refunds += 1 }
        guard try recorder.purchase(fact.transaction) != nil else { continue }
        credits += 1
        if recorder.read({ $0.tokenBuyer(of: fact.transaction) }) == nil { creditsWithoutToken += 1 }
      }
    }
    var deadLetters = 0
    for app in everyApp { deadLetters += try app.client().queueCounts.deadLettered }
    var digest = StableHash()
    let groups = groups()
    for (survivingCustomer, ids) in groups {
      digest.combine(survivingCustomer.text)
      for (currency, amount) in try balances(ofAnyOf: ids).sorted(by: { $0.key < $1.key }) {
        digest.combine(currency.description)
        digest.combine(UInt64(bitPattern: amount))
      }
    }
    return SimulationReport(
      seed: settings.seed, eventCount: playedCount,
      events: SimulationEvent.Kind.allCases.map { .init(name: $0.rawValue, count: eventCounts[$0] ?? 0) },
      faults: faultCounts.sorted { $0.key < $1.key }.map { .init(name: $0.key, count: $0.value) },
      deaths: everyApp.reduce(0) { $0 + $1.deathCount }, paid: paid, renewals: renewals,
      credits: credits,
      creditsWithoutToken: creditsWithoutToken, refunds: refunds, replays: recorder.read(\.replayCount),
      deadLetters: deadLetters, customers: groups.count,
      transactions: try ledger.storage.read { (snapshot) throws(LedgerError) in
        try snapshot.sequences().transaction
      }, checks: checkCount, virtualTime: virtualTime, digest: digest.value)
  }
}

/// The refunded part of a purchase.
private enum Share: Hashable {
  case milliPercent(Int64)
  case units(Int64)

  /// Makes the share that the store states.
  init(_ transaction: StoreTransaction) {
    let isByUnits = transaction.store == .google
    switch transaction.revocation?.extent {
    case nil: self = isByUnits ? .units(0) : .milliPercent(0)
    case .full?: self = isByUnits ? .units(transaction.quantity) : .milliPercent(100_000)
    case .milliPercent(let share)?: self = .milliPercent(share)
    case .quantity(let units)?, .totalQuantity(let units)?: self = .units(units)
    }
  }

  /// Makes the share that the ledger states: shares of units do not divide evenly into thousandths of a percent.
  init(_ purchase: Purchase, store: Store) {
    let share = purchase.refundedMilliPercent
    self = store == .google ? .units((share * purchase.quantity + 50_000) / 100_000) : .milliPercent(share)
  }

  /// Returns the refunded part of an amount, rounded up.
  func part(of amount: Int64, quantity: Int64) -> Int64 {
    switch self {
    case .milliPercent(let share): (amount * share + 99_999) / 100_000
    case .units(let units): (amount * units + quantity - 1) / quantity
    }
  }
}
