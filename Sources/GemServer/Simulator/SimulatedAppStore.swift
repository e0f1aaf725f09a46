#if Server
internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreReceipts
internal import Synchronization
internal import SystemHTTP

/// The App Store Server API of a simulated App Store, so that any backend can look up its purchases.
///
/// Paths, bodies, error numbers and tokens are Apple's; the simulated authority signs the data.
final class SimulatedAppStore: Sendable {
  /// The operations for which faults can be set.
  enum Operation: String, Sendable, CaseIterable {
    case transaction
    case history
    case refunds
    case consumption
    case test
  }

  /// The HTTP statuses of its error responses.
  static let statuses: [Int64] = [400, 401, 404, 429, 500, 503]

  private let simulator: Simulator
  /// The real time, against which tokens are checked independently of the store's clock.
  private let timeOfDay: LedgerClock
  private let knownKey = Mutex<SimulatedAppStoreKey?>(nil)
  private let tests = Mutex<[String: JSONValue]>([:])

  private static let testCountMax = 1000

  init(_ simulator: Simulator, timeOfDay: LedgerClock = .system) {
    self.simulator = simulator
    self.timeOfDay = timeOfDay
  }

  /// Returns the key with which backends sign their tokens.
  ///
  /// - Throws: As ``SimulatedAppStoreKey/init(keptIn:)``.
  func key() throws(LedgerError) -> SimulatedAppStoreKey {
    if let known = knownKey.withLock({ $0 }) { return known }
    let key = try SimulatedAppStoreKey(keptIn: simulator.project.ledger)
    knownKey.withLock { $0 = key }
    return key
  }

  /// Returns the app that tokens must name.
  func bundleID() throws(LedgerError) -> String {
    try simulator.project.catalogs.current().catalog.settings.bundleID ?? "com.example.app"
  }

  var environmentName: String { ReceiptForm.name(of: simulator.shop.controls.environment) }

  /// Answers a request: checks the token, then applies a fault or does the work.
  func answer(
    _ operation: Operation, _ call: Call,
    _ work: @Sendable (Call) async throws(SimulatedAppStoreError) -> HTTPResponse
  ) async throws(LedgerError) -> HTTPResponse {
    let field = call.request.headers["Authorization"]
    guard try key().admits(field, bundleID: bundleID(), at: timeOfDay.now()) else { return Self.refusal(401) }
    return await simulator.apiFaults.answer(operation.rawValue, refusal: Self.refusal) {
      do throws(SimulatedAppStoreError) { return try await work(call) } catch { return error.response }
    }
  }

  private static func refusal(_ status: Int64) -> HTTPResponse {
    switch status {
    case 400: SimulatedAppStoreError.badRequest.response
    case 404: SimulatedAppStoreError.transactionNotFound.response
    case 429: SimulatedAppStoreError.rateLimited.response
    case 500: SimulatedAppStoreError.internalError.response
    // For other statuses Apple sends no JSON.
    case 401:
      HTTPResponse(
        status: 401, headers: [("Content-Type", "text/plain")], content: .bytes(Array("Unauthenticated\n\n".utf8)))
    default: HTTPResponse(status: Int(status))
    }
  }

  // MARK: Transactions

  private func transaction(_ id: String) throws(SimulatedAppStoreError) -> ShopTransaction {
    guard (1...64).contains(id.utf8.count), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .transactionID
    }
    guard let one = simulator.shop.transaction(StoreTransactionID(unchecked: id)), one.isPaid else {
      throw .transactionNotFound
    }
    return one
  }

  private func signed(_ transaction: StoreTransaction) -> JSONValue {
    .string(simulator.shop.receipt(of: transaction).text)
  }

  /// Get Transaction Info.
  func info(_ id: String) throws(SimulatedAppStoreError) -> HTTPResponse {
    .json(200, ["signedTransactionInfo": signed(try transaction(id).transaction)])
  }

  /// Get Transaction History and Get Refund History; only the former names the app.
  func history(
    of id: String, _ history: SimulatedHistory, namesApp: Bool
  ) throws(SimulatedAppStoreError) -> HTTPResponse {
    let account = try transaction(id).account
    let all = simulator.shop.transactions().filter { $0.isPaid && $0.account.hasBytes(of: account) }
    let page = history.page(of: all.map(\.transaction))
    var body: JSONObject = [
      "signedTransactions": .array(page.transactions.map(signed)), "revision": .string(page.revision),
      "hasMore": .bool(page.hasMore),
    ]
    if namesApp {
      body["bundleId"] = all.first.map { .string($0.transaction.bundleID) } ?? .null
      body["environment"] = .string(environmentName)
    }
    return .json(200, .object(body))
  }

  /// Send Consumption Information, in either version.
  func consume(_ id: String, _ body: JSONObject, version: Int) throws(SimulatedAppStoreError) -> HTTPResponse {
    _ = try transaction(id)
    guard body["customerConsented"]?.bool == true else { throw .consent }
    guard let isDelivered = Self.isDelivered(body["deliveryStatus"], version: version) else { throw .delivery }
    guard body["sampleContentProvided"]?.bool != nil else { throw .sample }
    guard version == 2 else { return HTTPResponse(status: 202) }
    if let share = body["consumptionPercentage"], !share.isNull {
      guard let number = share.integer, (0...(isDelivered ? 100_000 : 0)).contains(number) else { throw .badRequest }
    }
    if let preference = body["refundPreference"], !preference.isNull {
      guard ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"].contains(preference.text ?? "") else { throw .preference }
    }
    return HTTPResponse(status: 202)
  }

  private static func isDelivered(_ value: JSONValue?, version: Int) -> Bool? {
    guard version == 2 else { return value?.integer.flatMap { (0...5).contains($0) ? $0 == 0 : nil } }
    let others = ["QUALITY_ISSUE", "WRONG_ITEM", "SERVER_OUTAGE", "OTHER"].map { "UNDELIVERED_\($0)" }
    return value?.text.flatMap { $0 == "DELIVERED" ? true : others.contains($0) ? false : nil }
  }

  // MARK: Test notifications

  /// Request a Test Notification: delivered to the simulator's backend, like every notice of the store.
  func requestTest() async throws(LedgerError) -> HTTPResponse {
    guard let signer = simulator.shop.apple?.signer as? LocalReceipts else {
      throw LedgerError(.notAvailable, "The simulated App Store of this build signs no notifications.")
    }
    let now = simulator.clock.now
    let id = SimulatedAppStoreKey.newID()
    let payload = signer.testNotification(
      id: id, bundleID: try bundleID(), environment: simulator.shop.controls.environment, at: now)
    var result = "SUCCESS"
    do throws(LedgerError) { try await simulator.project.backend.apply(signedNotice: payload) } catch {
      result = "OTHER"
    }
    let token = "\(id)_\(now.milliseconds)"
    let status: JSONValue = [
      "signedPayload": .string(payload),
      "sendAttempts": [["attemptDate": .integer(now.milliseconds), "sendAttemptResult": .string(result)]],
    ]
    tests.withLock { tests in
      if tests.count >= Self.testCountMax { tests.removeAll() }
      tests[token] = status
    }
    return .json(200, ["testNotificationToken": .string(token)])
  }

  /// Get Test Notification Status.
  func test(_ token: String) throws(SimulatedAppStoreError) -> HTTPResponse {
    guard let status = tests.withLock({ $0[token] }) else { throw .testNotFound }
    return .json(200, status)
  }
}
#endif
