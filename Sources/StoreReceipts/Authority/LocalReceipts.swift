#if Receipts
public import GemLedger
public import StoreBackend

/// Signed receipts of a simulated App Store, and their verifier: the counterpart of `UnsignedReceipts`.
///
/// ```swift
/// let receipts = try LocalReceipts(session: "demo")
/// let store = try SimulatedStore(catalog: catalog, session: "demo", signer: receipts)
/// let backend = LocalBackend(ledger: ledger, verifier: receipts)
/// ```
///
/// A backend in another process verifies them with an ``AppleVerifier`` that names ``LocalAuthority/root``.
public struct LocalReceipts: ReceiptSigner, ReceiptVerifier {
  /// The authority that signs.
  public let authority: LocalAuthority
  /// The verifier of these receipts.
  public let verifier: AppleVerifier
  private let signer: TokenSigner

  /// Creates receipts of one environment.
  ///
  /// - Parameters:
  ///   - authority: Signs the receipts; its root is the only trusted root.
  ///   - environment: The environment of the receipts. Apple's libraries verify receipts of the sandbox and of
  ///     production; they read receipts of test sessions without a check of the signature.
  ///   - appAppleID: The app's number at the App Store, for production.
  /// - Throws: `LedgerError` with `configuration` for production without `appAppleID`.
  public init(
    authority: LocalAuthority, environment: StoreEnvironment, appAppleID: Int64? = nil
  ) throws(LedgerError) {
    self.authority = authority
    verifier = try AppleVerifier(
      app: AppleApp(appAppleID: appAppleID, environments: [environment]), roots: [authority.root])
    signer = TokenSigner(authority)
  }

  /// Creates receipts of a test session on this machine, with a new authority.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` for an invalid session name.
  public init(session: String) throws(LedgerError) {
    try self.init(authority: LocalAuthority(), environment: .localTesting(session: session))
  }

  /// Returns the signed transaction in its present state.
  ///
  /// A price that is not a whole number of thousandths is omitted.
  public func receipt(for transaction: StoreTransaction) -> StoreReceipt {
    StoreReceipt(signer.token(ReceiptForm.payload(of: transaction)))
  }

  /// The SHA-256 of a text.
  public func digest(of text: String) -> [UInt8]? { verifier.digest(of: text) }

  /// Verifies a transaction.
  ///
  /// - Throws: As ``AppleVerifier/transaction(_:)``.
  public func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    try verifier.verify(receipt)
  }

  /// Returns a signed notice without a subtype, for a simulated store.
  public func signedNotice(
    _ type: String, id: String, about transaction: StoreTransaction, at instant: Timestamp
  ) -> String? { notification(type, id: id, about: transaction, at: instant) }

  /// Verifies a notification, and separately the transaction in it.
  ///
  /// - Throws: As ``AppleVerifier/notification(_:)``.
  public func transaction(inNotice text: String) throws(LedgerError) -> StoreTransaction? {
    try verifier.transaction(inNotice: text)
  }

  /// Signs a notification about a transaction, with the signed transaction in it.
  ///
  /// - Parameters:
  ///   - type: Apple's name of the notification, such as `REFUND`.
  ///   - subtype: Apple's name of the subtype, if the type has one.
  ///   - id: Its identity, equal for every delivery.
  ///   - transaction: The transaction in its present state.
  ///   - instant: When it is signed.
  /// - Returns: The `signedPayload` of the request's body.
  public func notification(
    _ type: String, subtype: String? = nil, id: String, about transaction: StoreTransaction, at instant: Timestamp
  ) -> String {
    var data = JSONObject([
      ("bundleId", .string(transaction.bundleID)), ("environment", .string(transaction.environment.payloadName)),
      ("signedTransactionInfo", .string(receipt(for: transaction).text)),
    ])
    if let id = verifier.app.appAppleID { data["appAppleId"] = .integer(id) }
    var notification = JSONObject([
      ("notificationType", .string(type)), ("notificationUUID", .string(id)), ("version", "2.0"),
      ("signedDate", .integer(instant.milliseconds)), ("data", .object(data)),
    ])
    if let subtype { notification["subtype"] = .string(subtype) }
    return signer.token(Array(JSONValue.object(notification).text().utf8))
  }

  /// Signs a test notification, which contains no transaction.
  ///
  /// - Parameters:
  ///   - id: Its identity, equal for every delivery.
  ///   - bundleID: The app of the notification.
  ///   - environment: The store's environment.
  ///   - instant: When it is signed.
  /// - Returns: The `signedPayload` of the request's body.
  package func testNotification(
    id: String, bundleID: String, environment: StoreEnvironment, at instant: Timestamp
  ) -> String {
    let data: JSONValue = ["bundleId": .string(bundleID), "environment": .string(environment.payloadName)]
    let notification: JSONValue = [
      "notificationType": "TEST", "notificationUUID": .string(id), "version": "2.0",
      "signedDate": .integer(instant.milliseconds), "data": data,
    ]
    return signer.token(Array(notification.text().utf8))
  }
}
#endif
