extension StoreClient {
  /// Creates the shared client with `StoreClient.defaults`, a standard file for its state, and an observer of the app's
  /// activation.
  ///
  /// The file is in the application support folder, on Linux in the folder for the state of programs; there is one for
  /// each key. Nothing is thrown: if the client cannot be made, the reason is logged as an error, and every request of
  /// the client throws it.
  @discardableResult
  public static func configure(withAPIKey apiKey: String, appUserID: String? = nil) -> StoreClient {
    var defaults = defaults
    if defaults.eventLog == nil {
      defaults.eventLog = { (key) throws(LedgerError) in try StandardEventLog.open(apiKey: key) }
    }
    let client = defaults.start(withAPIKey: apiKey, appUserID: appUserID)
    ActivationObserver.observeShared(client)
    return client
  }

  /// Creates the shared client, with an observer of the app's activation.
  ///
  /// - Throws: `LedgerError`, as the core's call; the earlier client remains then.
  @discardableResult
  public static func configure(with configuration: Configuration) throws(LedgerError) -> StoreClient {
    let client = try start(with: configuration)
    ActivationObserver.observeShared(client)
    return client
  }

  /// Creates the shared client, with an observer of the app's activation.
  ///
  /// - Throws: `LedgerError`, as the core's call; the earlier client remains then.
  @discardableResult
  public static func configure(
    withAPIKey apiKey: String, appUserID: String? = nil, mode: Mode, storefront: any Storefront,
    eventLog: (any EventLog)? = nil
  ) throws(LedgerError) -> StoreClient {
    try configure(
      with: Configuration(
        apiKey: apiKey, appUserID: appUserID, mode: mode, storefront: storefront, eventLog: eventLog))
  }
}
