import GemLedger
import GemLedgerAudit
import GemLedgerSQLite
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import gemcrash

/// The state of the files after the next start: the payments and the credits.
struct Outcome: Sendable {
  /// The payments to the store, in gems.
  var paid: Int64 = 0
  /// How much of it the store has given back.
  var refunded: Int64 = 0
  /// The gems that the ledger credited to the buyer and has not clawed back.
  var credited: Int64 = 0
  /// Everything that is not as it should be; empty for a good end.
  var problems: [String] = []

  var isGood: Bool { problems.isEmpty }

  /// How a table shows it.
  var text: String {
    isGood ? "ok \(paid)" + (refunded > 0 ? "-\(refunded)" : "") : "RED \(credited) of \(paid - refunded)"
  }
}

extension Outcome {
  /// Reads the files of a home that no process uses any more.
  init(of home: CrashHome, _ scenario: Scenario) throws {
    let clock = VirtualClock()
    let ledger = try home.ledger(clock: clock)
    defer { ledger.close() }
    let catalog = try ledger.currentCatalog()
    let transactions = try home.store(selling: catalog, clock: clock).allTransactions().filter {
      $0.state == .purchased
    }
    for transaction in transactions { try check(transaction, in: ledger) }
    try checkBooks(ledger, count: transactions.count)
    let backend = LocalBackend(ledger: ledger, verifier: try home.receipts())
    if scenario == .twoStep {
      let orders = try backend.orders(of: CustomerID(CrashHome.buyer))
      let paid = orders.filter { $0.status == .success }.map(\.storeTransactionID)
      if paid != transactions.map(\.identifier) { problems.append("paid orders: \(paid)") }
    }
    try checkQueue(home, backend, clock)
  }

  /// One purchase as the store knows it: credited once, to the buyer, and finished.
  private mutating func check(_ transaction: SimulatedTransaction, in ledger: Ledger) throws {
    let id = transaction.identifier
    let isRefunded = transaction.cancelDate != nil
    let gems = 1200 * transaction.transaction.quantity
    paid += gems
    if isRefunded { refunded += gems }
    let purchase = try ledger.purchase(
      store: .apple, environment: transaction.transaction.environment, transactionID: id)
    guard let purchase else {
      if !isRefunded { problems.append("\(id) is paid for and not credited") }
      return
    }
    if purchase.customer.text != CrashHome.buyer { problems.append("\(id) was credited to \(purchase.customer)") }
    if purchase.isRefunded != isRefunded { problems.append("\(id): refunded at the store: \(isRefunded)") }
    if !transaction.isFinished { problems.append("\(id) is credited and not finished") }
  }

  /// Checks the journal alone: no purchase credited twice, nothing credited to another customer, and everything adds
  /// up.
  private mutating func checkBooks(_ ledger: Ledger, count: Int) throws {
    let verification = try ledger.verify()
    problems += verification.problems.map { "verify: \($0)" }
    let gem = try CurrencyCode("GEM")
    var credits = 0
    for record in try ledger.wholeHistory(of: CustomerID(CrashHome.buyer)) {
      if record.booking.kind == .purchase { credits += 1 }
    }
    if credits > count { problems.append("\(count) purchases were credited \(credits) times") }
    credited = try ledger.balance(of: gem, customer: CustomerID(CrashHome.buyer)).balance
    if credited != paid - refunded {
      problems.append("\(paid - refunded) GEM are paid for, and \(credited) are there")
    }
    let others = try ledger.balance(of: gem, customer: CustomerID(CrashHome.other)).balance
    if others != 0 { problems.append("\(others) GEM went to somebody else") }
  }

  /// Checks the app's queue: nothing waits, and only purchases that were refunded before their credit are refused.
  private mutating func checkQueue(_ home: CrashHome, _ backend: LocalBackend, _ clock: VirtualClock) throws {
    let idle = try SimulatedStore(catalog: backend.ledger.currentCatalog(), signer: home.receipts())
    var configuration = StoreClient.Configuration(
      apiKey: "test_crash", mode: .payment(backend), storefront: idle.account("nobody").device("none"),
      eventLog: try FileEventLog(path: home.queuePath))
    configuration.clock = clock.storeClock
    configuration.isAutomatic = false
    configuration.logHandler = { _, _ in }
    let client = try StoreClient(configuration: configuration)
    for item in client.queueItems where item.lastError?.code != .receiptRevoked {
      let error = item.lastError.map { " (\($0.code): \($0.message))" } ?? ""
      problems.append("\(item.storeTransactionID) is \(item.status.rawValue) in the queue\(error)")
    }
    client.flush()
  }
}
