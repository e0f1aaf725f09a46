#if Server
package import GemLedger
internal import StoreBackend
package import SystemHTTP

/// The App Store Server API, which looks up transactions with an in-app purchase key.
///
/// Its answers are signed by the App Store; the caller verifies them like posted receipts.
package struct AppStoreServerAPI: Sendable {
  /// The addresses of the API by environment.
  package struct Addresses: Hashable, Sendable {
    package let production: String
    package let sandbox: String
    /// The address for test sessions; nil for none.
    package let testSessions: String?

    /// Apple's addresses; Apple has no test sessions.
    package static let apple = Self(
      production: "https://api.storekit.apple.com", sandbox: "https://api.storekit-sandbox.apple.com")

    /// - Throws: `LedgerError` with `invalid_request` for an invalid address.
    package init(production: String, sandbox: String, testSessions: String? = nil) throws(LedgerError) {
      for text in [production, sandbox, testSessions].compactMap(\.self) { _ = try OutgoingURL(text) }
      self.production = Self.base(production)
      self.sandbox = Self.base(sandbox)
      self.testSessions = testSessions.map(Self.base)
    }

    /// Uses one address for all environments, for example of a simulator.
    package init(all address: String) throws(LedgerError) {
      try self.init(production: address, sandbox: address, testSessions: address)
    }

    private init(production: String, sandbox: String) {
      self.production = production
      self.sandbox = sandbox
      testSessions = nil
    }

    private static func base(_ text: String) -> String { text.hasSuffix("/") ? String(text.dropLast()) : text }
  }

  /// A page of a customer's transactions.
  struct HistoryPage: Sendable {
    /// The transactions as signed by the App Store, at most twenty.
    let transactions: [String]
    /// The start of the next page.
    let revision: String?
    let hasMore: Bool
  }

  /// Three times the size of twenty signed transactions.
  private static let bodyByteCountMax = 1_048_576
  /// The time limit for a request.
  static let timeout = Duration.seconds(10)

  let key: AppStoreServerKey
  private let sender: HTTPSender
  private let addresses: Addresses
  private let clock: LedgerClock

  /// - Parameters:
  ///   - key: An in-app purchase key of the developer's account.
  ///   - sender: Sends the requests.
  ///   - addresses: The addresses of the API.
  ///   - clock: Dates the tokens; Apple compares them with the real time.
  package init(
    key: AppStoreServerKey, sender: HTTPSender, addresses: Addresses = .apple, clock: LedgerClock = .system
  ) {
    self.key = key
    self.sender = sender
    self.addresses = addresses
    self.clock = clock
  }

  /// Returns whether the API can look up purchases of the environment.
  func knows(_ environment: StoreEnvironment) -> Bool { address(of: environment) != nil }

  /// Looks a transaction up (Get Transaction Info).
  ///
  /// - Parameters:
  ///   - environment: The environment of verified evidence; nil to look in production first, and then in the sandbox
  ///     if production does not know the transaction.
  ///   - timeout: The time limit for all requests together.
  /// - Returns: The transaction as signed by the App Store.
  /// - Throws: `LedgerError` with `purchase_not_found` if no environment knows it yet; `backend_unreachable` if the
  ///   look-up may succeed later.
  func transaction(
    _ id: StoreTransactionID, of bundleID: String, in environment: StoreEnvironment?, timeout: Duration = Self.timeout
  ) async throws(LedgerError) -> String {
    let deadline = ContinuousClock.now + timeout
    var refusal: AppStoreServerError?
    for address in places(of: environment) {
      switch try await answer(
        "\(address)/inApps/v1/transactions/\(Percent.encoded(id.text))", of: bundleID, before: deadline)
      {
      case .success(let body):
        guard let text = body["signedTransactionInfo"]?.text else { throw Self.malformed("no signedTransactionInfo") }
        return text
      case .failure(let error):
        guard error.mayBeOfOtherEnvironment else { throw error.ledgerError }
        // A refused key is less specific than an environment that does not know the transaction.
        refusal = refusal.map { $0.status == 401 ? error : $0 } ?? error
      }
    }
    throw refusal?.ledgerError ?? .appStore("The App Store knows no purchases of test sessions.")
  }

  /// Reads a page of the transactions of a customer of the store (Get Transaction History, version 2).
  ///
  /// - Parameters:
  ///   - id: Any transaction of the customer.
  ///   - revision: The revision of the previous page; nil for the first page.
  /// - Throws: As ``transaction(_:of:in:timeout:)``.
  func history(
    of id: StoreTransactionID, of bundleID: String, in environment: StoreEnvironment, revision: String?
  ) async throws(LedgerError) -> HistoryPage {
    guard let address = address(of: environment) else {
      throw .appStore("The App Store knows no purchases of test sessions.")
    }
    let query = revision.map { "?revision=\(Percent.encoded($0))" } ?? ""
    switch try await answer(
      "\(address)/inApps/v2/history/\(Percent.encoded(id.text))\(query)", of: bundleID,
      before: ContinuousClock.now + Self.timeout)
    {
    case .failure(let error): throw error.ledgerError
    case .success(let body):
      guard let list = body["signedTransactions"]?.array else { throw Self.malformed("no signedTransactions") }
      return HistoryPage(
        transactions: list.compactMap(\.text), revision: body["revision"]?.text,
        hasMore: body["hasMore"]?.bool ?? false)
    }
  }

  private func address(of environment: StoreEnvironment) -> String? {
    switch environment {
    case .production: addresses.production
    case .sandbox: addresses.sandbox
    default: addresses.testSessions
    }
  }

  /// Returns the addresses that may know a transaction, without duplicates.
  private func places(of environment: StoreEnvironment?) -> [String] {
    if let environment { return address(of: environment).map { [$0] } ?? [] }
    let (first, second) = (addresses.production, addresses.sandbox)
    return first.hasBytes(of: second) ? [first] : [first, second]
  }

  private func answer(
    _ url: String, of bundleID: String, before deadline: ContinuousClock.Instant
  ) async throws(LedgerError) -> Result<JSONValue, AppStoreServerError> {
    let left = deadline - ContinuousClock.now
    guard left > .zero else { throw .appStoreIsLate }
    let token = key.token(for: bundleID, at: clock.now())
    let result = await sender.get(
      try OutgoingURL(url), headers: [("Authorization", "Bearer \(token)"), ("Accept", "application/json")],
      timeout: left, bodyByteCountMax: Self.bodyByteCountMax)
    switch result {
    case .failure(let failure): throw .appStore("The App Store does not answer: \(failure) It is asked again.")
    case .success(let reply):
      guard reply.isSuccess else { return .failure(AppStoreServerError(reply)) }
      guard let body = reply.json else { throw Self.malformed("a body that is no JSON, or is too long") }
      return .success(body)
    }
  }

  private static func malformed(_ what: String) -> LedgerError {
    .appStore("The App Store's answer has \(what). It is asked again.")
  }
}

extension LedgerError {
  /// The error for an unexpected response of the App Store; the request may succeed later.
  static func appStore(_ what: String) -> LedgerError { LedgerError(.backendUnreachable, what) }

  static let appStoreIsLate = appStore(
    "The App Store did not answer in time. The purchase is kept and looked up again.")
}
#endif
