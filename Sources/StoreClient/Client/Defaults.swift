internal import GemLedger
internal import StoreBackend
internal import Synchronization

extension StoreClient {
  /// The settings of ``configure(withAPIKey:appUserID:)`` in addition to its key: an app or a test sets them once.
  ///
  /// ```swift
  /// StoreClient.defaults.mode = .payment(backend)
  /// StoreClient.defaults.storefront = storefront
  /// ```
  public struct Defaults: Sendable {
    /// Makes the event log of the app with this key.
    public typealias EventLogFactory = @Sendable (_ apiKey: String) throws(LedgerError) -> (any EventLog)?

    /// The owner of the balances; nil for a ledger in memory with an empty catalog.
    public var mode: Mode?
    /// The shop; nil for an empty one.
    public var storefront: (any Storefront)?
    /// Makes the event log; nil for the platform's standard file if the app imports StoreClientFoundation, and for no
    /// log otherwise.
    public var eventLog: EventLogFactory?
    /// Changes any other setting before the client is made.
    public var adjust: @Sendable (inout Configuration) -> Void = { _ in }

    /// No shop, no backend, and the standard event log.
    public init() {}
  }

  private static let sharedDefaults = Mutex(Defaults())

  /// The settings of ``configure(withAPIKey:appUserID:)`` in addition to its key.
  public static var defaults: Defaults {
    get { sharedDefaults.withLock { $0 } }
    set { sharedDefaults.withLock { $0 = newValue } }
  }
}

// MARK: Configuring with a key alone

extension StoreClient {
  /// Makes the shared client with ``defaults``, and replaces an earlier one.
  ///
  /// Nothing is thrown, because an app calls this at its launch. If the client cannot be made, the reason is logged as
  /// an error, and every request of the client throws it: `configuration` for a secret or unfitting key,
  /// `invalid_user_id`, and the codes of the event log. The earlier client releases its event log first.
  @_disfavoredOverload
  @discardableResult
  public static func configure(withAPIKey apiKey: String, appUserID: String? = nil) -> StoreClient {
    defaults.start(withAPIKey: apiKey, appUserID: appUserID)
  }

  /// Creates a client whose calls throw this error, or return nothing.
  convenience init(refusing error: LedgerError) {
    var configuration = Configuration(
      apiKey: "", mode: .payment(RefusingBackend(error: error)), storefront: EmptyStorefront(store: .test))
    configuration.isAutomatic = false
    configuration.isFunnelEnabled = false
    let nobody = Identity(customer: AppUserID.anonymous(configuration.randomness), allowsSharing: true)
    self.init(configuration, queue: ReceiptQueue(), identity: nobody)
  }
}

extension StoreClient.Defaults {
  /// Makes the shared client with these defaults.
  package func start(withAPIKey apiKey: String, appUserID: String?) -> StoreClient {
    // Two clients cannot use one file, so the earlier client must end before the new client starts.
    StoreClient.share(StoreClient(refusing: LedgerError(.configuration, "The client is being reconfigured.")))
    let client: StoreClient
    do throws(LedgerError) {
      client = try StoreClient(configuration: configuration(apiKey, appUserID))
    } catch {
      client = StoreClient(refusing: error)
      client.context.log(.error, "The client cannot be configured, so all its calls fail: \(error.message)")
    }
    StoreClient.share(client)
    client.context.report(missing: missingLines)
    return client
  }

  /// - Throws: `LedgerError` with `configuration` for a bad key, and those of the event log.
  fileprivate func configuration(
    _ apiKey: String, _ appUserID: String?
  ) throws(LedgerError) -> StoreClient.Configuration {
    // Checked before a file with the key's name is written.
    let key = try APIKey(apiKey)
    let ledgerInMemory = LocalBackend(ledger: .inMemory(), verifier: NoReceipts())
    var configuration = StoreClient.Configuration(
      apiKey: apiKey, appUserID: appUserID, mode: mode ?? .local(ledgerInMemory),
      storefront: storefront ?? EmptyStorefront(store: key.store ?? .apple), eventLog: try eventLog?(apiKey))
    adjust(&configuration)
    return configuration
  }

  /// The missing lines of the app's configuration.
  fileprivate var missingLines: [String] {
    var lines: [String] = []
    if storefront == nil { lines.append("StoreClient.defaults.storefront = …") }
    if mode == nil { lines.append("StoreClient.defaults.mode = .payment(backend)") }
    return lines
  }
}

extension ClientContext {
  /// Logs the lines that the app lacks.
  fileprivate func report(missing lines: [String]) {
    guard !(configuration.mode.backend is RefusingBackend) else { return }
    if !lines.isEmpty {
      log(
        .error,
        "The app sells nothing yet: the shop is empty and balances end with the process. Before configure, write "
          + lines.joined(separator: " and ") + ".")
    }
    if configuration.eventLog == nil {
      log(
        .warn,
        "No file keeps the client's state, so every launch is a new customer, and a waiting receipt is known to the "
          + "store alone. Set StoreClient.defaults.eventLog, or import StoreClientFoundation for a standard file.")
    }
  }
}

/// Refuses all receipts, for an app without a shop.
private struct NoReceipts: ReceiptVerifier {
  func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    throw LedgerError(
      .receiptUnverified, "The app has no backend, so no receipt can be verified: set StoreClient.defaults.mode.",
      details: [.text("check", "verifier")])
  }
}
