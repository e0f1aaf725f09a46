#if Server
package import GemLedger
internal import StoreBackend
package import SystemHTTP

/// The App Store Server API, asked about transactions with an in-app purchase key.
///
/// Its answers are texts that the App Store signed; whoever uses one verifies it as a posted receipt.
package struct AppStoreServerAPI: Sendable {
  /// Where the API is, by environment.
  package struct Addresses: Hashable, Sendable {
    package let production: String
    package let sandbox: String
    /// Where test sessions are known; nil for nowhere.
    package let testSessions: String?

    /// Apple's own; Apple knows no test sessions.
    package static let apple = Self(
      production: "https://api.storekit.apple.com", sandbox: "https://api.storekit-sandbox.apple.com")

    /// - Throws: `LedgerError` with `invalid_request` where one is no address.
    package init(production: String, sandbox: String, testSessions: String? = nil) throws(LedgerError) {
      for text in [production, sandbox, testSessions].compactMap(\.self) { _ = try OutgoingURL(text) }
      self.production = Self.base(production)
      self.sandbox = Self.base(sandbox)
      self.testSessions = testSessions.map(Self.base)
    }

    /// One place for all environments, such as a simulator.
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

  /// A part of a customer's transactions.
  struct HistoryPage: Sendable {
    /// The transactions as the App Store signed them, twenty at most.
    let transactions: [String]
    /// Where the next page begins.
    let revision: String?
    let hasMore: Bool
  }

  /// Twenty signed transactions have a third of it.
  private static let bodyByteCountMax = 1_048_576
  /// How long a request may take.
  static let timeout = Duration.seconds(10)

  let key: AppStoreServerKey
  private let sender: HTTPSender
  private let addresses: Addresses
  private let clock: LedgerClock

  /// - Parameters:
  ///   - key: An in-app purchase key of the developer's account.
  ///   - sender: Sends the requests.
  ///   - addresses: Where the API is.
  ///   - clock: Dates the tokens; Apple compares them with the time of day.
  package init(
    key: AppStoreServerKey, sender: HTTPSender, addresses: Addresses = .apple, clock: LedgerClock = .system
  ) {
    self.key = key
    self.sender = sender
    self.addresses = addresses
    self.clock = clock
  }

  /// Whether purchases of the environment can be asked for.
  func knows(_ environment: StoreEnvironment) -> Bool { address(of: environment) != nil }

  /// Looks a transaction up (Get Transaction Info).
  ///
  /// - Parameters:
  ///   - environment: As verified evidence says it; without it production is asked first, and the sandbox where
  ///     production does not know the transaction.
  ///   - timeout: How long all requests together may take.
  /// - Returns: The transaction as the App Store signed it.
  /// - Throws: `LedgerError` with `purchase_not_found` where no environment knows it yet, `backend_unreachable` for
  ///   everything that may be different later.
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
        // A refused key says less than an environment that does not know the transaction.
        refusal = refusal.map { $0.status == 401 ? error : $0 } ?? error
      }
    }
    throw refusal?.ledgerError ?? .appStore("The App Store knows no purchases of test sessions.")
  }

  /// Reads a page of the transactions of a customer of the store (Get Transaction History, version 2).
  ///
  /// - Parameters:
  ///   - id: Any transaction of the customer.
  ///   - revision: As the page before it says; nil for the first one.
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

  /// Where a transaction may be known, each place once.
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
  /// The App Store does not answer as it should; the same request may work later.
  static func appStore(_ what: String) -> LedgerError { LedgerError(.backendUnreachable, what) }

  static let appStoreIsLate = appStore(
    "The App Store did not answer in time. The purchase is kept and looked up again.")
}
#endif
