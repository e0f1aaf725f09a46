import GemLedger
import LedgerCharts
import SimulatedStores
import StoreBackend
import StoreClient

/// `approve`, `decline`, `store …`: events at the simulated store.
struct StoreCommands {
  let invocation: Invocation

  func refund() throws {
    let extent = try extent()
    try act { (session, id) throws(LedgerError) in try session.store.refund(id, extent) }
  }

  private func extent() throws -> StoreTransaction.Revocation.Extent {
    let parsed = invocation.parsed
    let percent = try parsed.integer("--percent", in: 1...100)
    let quantity = try parsed.integer("--quantity", in: 1...Limits.quantity)
    try parsed.checkExcluding("--percent", "--quantity")
    if let quantity { return .quantity(quantity) }
    return percent.map { $0 == 100 ? .full : .milliPercent($0 * 1000) } ?? .full
  }

  /// Changes one transaction, delivers the store's notices, and shows the transaction's state.
  func act(
    _ change: @escaping @Sendable (ClientSession, StoreTransactionID) throws(LedgerError) -> Void
  ) throws {
    let id = invocation.parsed.positionals[0]
    let (transaction, bookings) = try invocation.withClient {
      (session) async throws(LedgerError) -> (ShopTransaction, [Booking]) in
      let named = try session.store.transaction(named: id)
      let before = Set(try Self.bookings(of: named.transaction, in: session.ledger).map(\.transactionID))
      do throws(LedgerError) { try change(session, named.id) } catch {
        throw error.asRefusal
      }
      try await session.deliverNotices()
      guard let transaction = session.store.transaction(named.id) else {
        throw .defect("A store transaction is gone")
      }
      let after = try Self.bookings(of: named.transaction, in: session.ledger)
      return (transaction, after.filter { !before.contains($0.transactionID) })
    }
    guard case .object(var json) = Self.json(transaction) else { return }
    json["bookings"] = .array(bookings.map { BookingView($0).json })
    try invocation.print(.object(json)) { style in
      let changes = bookings.map { "\n" + BookingView($0).text(style: style) }
      return Self.text([transaction], style: style) + changes.joined()
    }
  }

  /// The newest bookings about a store transaction, oldest first.
  private static func bookings(of transaction: StoreTransaction, in ledger: Ledger) throws(LedgerError) -> [Booking] {
    let id = transaction.creditID
    guard
      let purchase = try ledger.purchase(
        store: transaction.store, environment: transaction.environment, transactionID: id)
    else { return [] }
    // The id that a person knows, as lists of customers show it.
    let name = try ledger.customerIDs(of: purchase.customer).first { !$0.isAnonymous } ?? purchase.customer
    let records = try ledger.history(of: name).transactions
    return records.reversed().filter { $0.purchase?.storeTransactionID == id }.map(\.booking)
  }

  func list() throws {
    let limit = try invocation.limit()
    let transactions = try invocation.withClient(onlyReads: true) { session in
      Array(session.store.transactions().reversed().prefix(limit))
    }
    let json: JSONValue = ["transactions": .array(transactions.map(Self.json))]
    try invocation.print(json, { Self.text(transactions, style: $0) })
  }
}

// MARK: Faults

extension StoreCommands {
  func fault() throws {
    let parsed = invocation.parsed
    let fault = try asked()
    let isCleared = parsed.has("--clear")
    let isOff = parsed.positionals.dropFirst().first == StoreFaultArguments.off
    let faults = try invocation.withClient { (session) async throws(LedgerError) in
      if isCleared || isOff { try session.store.clearFaults(on: isCleared ? nil : fault?.api) }
      if let fault, !isCleared, !isOff { try session.store.inject(fault) }
      return session.store.faults
    }
    let words = faults.map(StoreFaultArguments.text)
    let json: JSONValue = ["faults": .array(words.map(JSONValue.string))]
    try invocation.print(
      json, { _ in words.isEmpty ? "The store works as it should.\n" : words.map { "\($0)\n" }.joined() })
  }

  private func asked() throws -> StoreFault? {
    let parsed = invocation.parsed
    guard let name = parsed.positionals.first, let api = StoreAPI(rawValue: name) else { return nil }
    let word = parsed.positionals.dropFirst().first ?? StoreFailure.networkError.rawValue
    let isAfter = parsed.has("--after-effect")
    guard !isAfter || word == StoreFailure.networkError.rawValue else {
      throw invocation.usageError("--after-effect goes with networkError: only an answer can be lost")
    }
    let length = try invocation.duration("--for")
    guard length == nil || word == StoreFaultArguments.delay else {
      throw invocation.usageError("--for goes with \(StoreFaultArguments.delay)")
    }
    let effect = StoreFault.Effect(word: word, delay: length ?? .seconds(60)) ?? .networkCutBefore
    return StoreFault(isAfter ? .networkCutAfter : effect, on: api, try timing())
  }

  private func timing() throws -> StoreFault.Timing {
    let parsed = invocation.parsed
    let once: StoreFault.Timing? = parsed.has("--once") ? .once : nil
    let given = [
      once, try parsed.integer("--nth", in: 1...1_000_000).map(StoreFault.Timing.nth),
      try parsed.integer("--times", in: 1...1_000_000).map(StoreFault.Timing.times),
      try parsed.integer("--chance", in: 1...100).map { .chance(percent: $0) },
    ].compactMap(\.self)
    guard given.count < 2 else {
      throw invocation.usageError("--once, --nth, --times and --chance exclude each other")
    }
    return given.first ?? .always
  }
}

/// The option values of `store fault`.
enum StoreFaultArguments {
  static let off = "off"
  static let delay = StoreFault.Effect.delayWord
  static let apis = StoreAPI.allCases.map(\.rawValue)
  static let failures = StoreFault.Effect.failureWords
  /// Faults other than a failure of the call.
  static let effects = StoreFault.Effect.otherWords

  static func text(_ fault: StoreFault) -> String {
    "\(fault.api.rawValue): \(fault.effect.text), \(fault.timing.text)"
  }
}

// MARK: Answering

extension StoreCommands {
  static func json(_ one: ShopTransaction) -> JSONValue {
    let transaction = one.transaction
    var object: JSONObject = [
      "store_transaction_id": .string(transaction.id.text), "state": .string(one.state),
      "store_account": .string(one.account), "product_id": .string(transaction.storeProductID),
      "quantity": .integer(transaction.quantity), "price": MoneyText.json(transaction.price),
      "purchased_at": .string(transaction.purchasedAt.description), "finished": .bool(one.isFinished),
      "revoked_at": JSONValue(transaction.revocation?.revokedAt.description),
    ]
    if let extent = transaction.revocation?.extent { object["refunded"] = RefundedShare.json(extent) }
    if let order = transaction.orderID { object["order_id"] = .string(order) }
    return .object(object)
  }

  static func text(_ transactions: [ShopTransaction], style: Style) -> String {
    transactions.table([
      // Users can read Google's order id, and it names the transaction as well as its token does.
      .id("STORE TRANSACTION") { $0.transaction.orderID ?? $0.transaction.id.text }, .left("STATE", state),
      .left("FINISHED") { $0.isFinished ? "yes" : "no" }, .id("ACCOUNT", \.account),
      .left("PRODUCT") {
        $0.transaction.storeProductID + ($0.transaction.quantity == 1 ? "" : " × \($0.transaction.quantity)")
      },
      .right("PRICE") { $0.transaction.price.map { "\(MoneyText.plain($0)) \($0.currency)" } },
      .time("PURCHASED AT", \.transaction.purchasedAt),
    ]).text(style: style, none: "This store has no transactions yet.")
  }

  private static func state(_ one: ShopTransaction) -> String {
    let (transaction, state) = (one.transaction, one.state)
    return state + (transaction.revocation.map { RefundedShare.text($0.extent, of: transaction.quantity) } ?? "")
  }
}
