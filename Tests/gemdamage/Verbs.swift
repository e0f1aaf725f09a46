import Foundation
import GemLedger
import GemLedgerArchive
import GemLedgerAudit
import GemLedgerSQLite

/// Everything that a ledger can be asked.
struct Verbs {
  let known: KnownLedger
  let path: String
  let directory: String
  let now: Timestamp

  private var clock: LedgerClock { LedgerClock { now } }

  /// Says the verb, and takes an answer or an error of the ledger.
  private func ask(_ verb: String, _ body: () throws -> Any) {
    System.say("\(verb)\n")
    do {
      // The answer's text is made too: people see it, so it is a part of the answer.
      var text = ""
      dump(try body(), to: &text, maxItems: 2000)
    } catch let error as LedgerError {
      _ = error.description
      if error.code == .unexpected { System.say("UNEXPECTED \(error)\n") }
    } catch {
      System.say("UNEXPECTED \(error)\n")
    }
  }

  func run(_ generator: inout CaseGenerator) throws {
    var opened: Ledger?
    ask("open") {
      opened = try Ledger.openSQLite(at: path, clock: clock)
      return true
    }
    guard let ledger = opened else { return }
    readAll(ledger)
    let customer = generator.one(of: known.customers)
    read(ledger, customer, &generator)
    write(ledger, customer, &generator)
    ask("verify after all") { try ledger.verify() }
    ledger.close()
  }

  // MARK: Reading

  private func readAll(_ ledger: Ledger) {
    ask("verify") { try ledger.verify() }
    ask("verify by windows") { try ledger.verify(customersPerWindow: 2) }
    ask("customers") { try ledger.customers(limit: 1000) }
    ask("unspent") { try ledger.unspent() }
    ask("unspent at") { try ledger.unspent(at: Timestamp(milliseconds: now.milliseconds / 2)) }
    ask("withdrawable at") { try ledger.withdrawable(at: now) }
    ask("flows") {
      try ledger.flows(between: [Timestamp(milliseconds: 0), Timestamp(milliseconds: now.milliseconds - 1000), now])
    }
    ask("effective prices") { try ledger.effectivePrices() }
    ask("top items") { try ledger.sales.topItems() }
    ask("refunds with shortfall") { try ledger.sales.shortfalls(from: Timestamp(milliseconds: 0), until: now) }
    ask("cohorts") { try ledger.sales.cohorts(between: [Timestamp(milliseconds: 0), now]) }
    ask("feed") { try ledger.feed(limit: 1000) }
    ask("catalog") { try ledger.currentCatalog() }
    ask("product") { try ledger.product(known.products[0]) }
    var export: [UInt8] = []
    let lock = NSLock()
    ask("export") {
      try ledger.export { (bytes) throws(LedgerError) in lock.withLock { export += bytes } }
    }
    if !export.isEmpty { importing(export) }
    ask("copy") {
      try? FileManager.default.removeItem(atPath: directory + "/copy.sqlite")
      let source = try SQLiteStorage(path: path, now: now)
      defer { source.close() }
      return try LedgerCopy.run(from: source, clock: clock) { (project, last) throws(LedgerError) in
        try SQLiteStorage.openCopy(path: directory + "/copy.sqlite", project: project, source: last)
      }
    }
  }

  func importing(_ export: [UInt8]) {
    ask("import") { try Ledger.inMemory(importing: export, clock: clock).verify() }
    ask("import into a file") {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: directory + "/made.sqlite" + suffix)
      }
      let source = JournalImport(ImportBytes(export), clock: clock)
      let storage = try SQLiteStorage.openCopy(
        path: directory + "/made.sqlite", project: try source.head().project, source: 0)
      defer { storage.close() }
      return try source.run(into: storage)
    }
  }

  private func read(_ ledger: Ledger, _ customer: CustomerID, _ generator: inout CaseGenerator) {
    let currency = generator.one(of: known.currencies)
    for customer in known.customers {
      ask("balances of \(customer)") { try ledger.balances(of: customer) }
      ask("history") { try ledger.history(of: customer, limit: 1000) }
    }
    ask("balances at") { try ledger.balances(of: customer, at: Timestamp(milliseconds: now.milliseconds - 5000)) }
    ask("balance") { try ledger.balance(of: currency, customer: customer) }
    ask("customer") { try ledger.customer(customer) }
    ask("ids") { try ledger.customerIDs(of: customer) }
    ask("holds") { try ledger.holds(of: customer) }
    ask("purchases") { try ledger.purchases(of: customer, limit: 1000) }
    ask("explain") { try ledger.explain(currency, customer: customer, limit: 1000) }
    ask("statement") { try ledger.statement(of: customer, limit: 1000) }
    ask("statement since") {
      try ledger.statement(of: customer, from: Timestamp(milliseconds: now.milliseconds - 100_000), limit: 10)
    }
    ask("spends") { try ledger.spends(of: customer, limit: 1000) }
    ask("split") { try ledger.split(of: customer) }
    ask("withdrawable") { try ledger.withdrawable(of: customer) }
    for _ in 0..<3 {
      let (id, purchase) = (generator.one(of: known.transactions), generator.one(of: known.purchases))
      ask("transaction") { try ledger.transaction(id) }
      ask("consumption") { try ledger.consumption(of: purchase) }
    }
  }

  // MARK: Writing

  private func write(_ ledger: Ledger, _ customer: CustomerID, _ generator: inout CaseGenerator) {
    let (currency, other) = (generator.one(of: known.currencies), generator.one(of: known.currencies))
    let one = [Adjustment(currency, 1)]
    let payee = generator.one(of: known.customers)
    func book(_ verb: String, _ command: LedgerCommand) {
      ask("preview \(verb)") { try ledger.preview(command) }
      ask(verb) { try ledger.book(command) }
    }
    var held: HoldID?
    book("spend", .adjust([Adjustment(currency, -1)], customer: customer))
    book("spend much", .adjust([Adjustment(currency, -500)], customer: customer))
    book("grant", .grant(one, customer: customer))
    book("grant much", .grant([Adjustment(currency, Limits.amount / 2)], customer: customer, source: .promotional))
    for key in known.keys.prefix(3) {
      book("spend again", .adjust([Adjustment(currency, -1)], customer: customer, key: key))
    }
    ask("hold") {
      let booking = try ledger.hold(one, customer: customer, for: .seconds(60))
      held = booking.transactionID.map { HoldID($0) }
      return booking
    }
    if let held {
      book("extend", .extend(held, for: .seconds(600)))
      book("capture", .capture(held))
    }
    for item in known.items.prefix(3) { book("item", .buyItem(item, customer: customer)) }
    for purchase in known.purchases.shuffled(using: &generator).prefix(2) { refund(purchase, customer, ledger) }
    for id in known.transactions.shuffled(using: &generator).prefix(8) {
      ask("reverse") { try ledger.reverse(id) }
      ask("release") { try ledger.release(HoldID(id)) }
      ask("capture one") { try ledger.capture(HoldID(id), keepsOpen: true) }
    }
    book("transfer", .transfer(one, from: customer, to: payee))
    book("exchange", .exchange(one[0], into: other, rate: ExchangeRate(3, for: 2, rounding: .down), customer: customer))
    ask("freeze") { try ledger.freeze(customer) }
    ask("unfreeze") { try ledger.unfreeze(customer) }
    for code in known.codes.prefix(2) {
      ask("fail order") { try ledger.book(.advanceOrder(code, .fail, customer: customer)) }
    }
    ask("sweep") { try ledger.sweep() }
    ask("alias") { try ledger.createAlias(try CustomerID("one more"), of: payee) }
    book("merge", .merge(from: customer, into: payee))
    ask("spend after all") { try ledger.spend(one, customer: payee) }
    ask("erase") { try ledger.erase(payee) }
    ask("catalog again") { try ledger.apply(try ledger.currentCatalog()) }
  }

  private func refund(_ id: StoreTransactionID, _ customer: CustomerID, _ ledger: Ledger) {
    ask("refund") {
      try ledger.refund(
        StoreRefund(
          store: .apple, environment: .production, transactionID: id, revokedAt: now, extent: .milliPercent(50_000),
          signedAt: now))
    }
    ask("reverse refund") {
      try ledger.reverseRefund(
        StoreRefundReversal(
          store: .apple, environment: .production, transactionID: id, revokedAt: nil,
          signedAt: Timestamp(milliseconds: now.milliseconds + 1)))
    }
    ask("credit again") {
      try ledger.creditPurchase(
        StorePurchase(
          store: .apple, environment: .production, transactionID: id, product: known.products[0], quantity: 1,
          price: Money(minorUnits: 999, currency: "USD"), purchasedAt: now), customer: customer)
    }
    ask("credit") {
      try ledger.creditPurchase(
        StorePurchase(
          store: .google, environment: .production, transactionID: try StoreTransactionID("new " + id.text),
          product: known.products[0],
          quantity: 3, price: nil, purchasedAt: now), customer: customer)
    }
  }
}
