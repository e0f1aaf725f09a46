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
/// A backend elsewhere verifies them with an ``AppleVerifier`` that names ``LocalAuthority/root``.
public struct LocalReceipts: ReceiptSigner, ReceiptVerifier {
  /// The authority that signs.
  public let authority: LocalAuthority
  /// Verifies what this signs.
  public let verifier: AppleVerifier
  private let signer: TokenSigner

  /// Makes receipts of one environment.
  ///
  /// - Parameters:
  ///   - authority: Signs them; its root is the only one that is trusted.
  ///   - environment: Where the receipts come from. Apple's own libraries verify those of the sandbox and of
  ///     production; those of test sessions they read without looking at the signature.
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

  /// Makes receipts of a test session on this machine, with a new authority.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` when the session's name is none.
  public init(session: String) throws(LedgerError) {
    try self.init(authority: LocalAuthority(), environment: .localTesting(session: session))
  }

  /// The signed transaction as it is now.
  ///
  /// A price that is no whole number of thousandths is left out.
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

  /// The same without a subtype, as a simulated store asks for it.
  public func signedNotice(
    _ type: String, id: String, about transaction: StoreTransaction, at instant: Timestamp
  ) -> String? { notification(type, id: id, about: transaction, at: instant) }

  /// Verifies a notification, and the transaction in it on its own.
  ///
  /// - Throws: As ``AppleVerifier/notification(_:)``.
  public func transaction(inNotice text: String) throws(LedgerError) -> StoreTransaction? {
    try verifier.transaction(inNotice: text)
  }

  /// Signs a notification about a transaction, with the signed transaction in it.
  ///
  /// - Parameters:
  ///   - type: Apple's name of it, such as `REFUND`.
  ///   - subtype: Apple's name, for types that have some.
  ///   - id: Its identity, the same for every delivery.
  ///   - transaction: The transaction as it is now.
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

  /// Signs a test notification, which is about no transaction.
  ///
  /// - Parameters:
  ///   - id: Its identity, the same for every delivery.
  ///   - bundleID: The app that it is for.
  ///   - environment: The store's.
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
