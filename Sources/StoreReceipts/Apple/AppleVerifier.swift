#if Receipts
public import GemLedger
public import StoreBackend
internal import SystemCrypto

/// Verifies signed texts of the App Store: transactions, renewal infos, app transactions and notifications.
///
/// Real receipts and those of a simulated store pass through the same checks; only the trusted roots differ.
/// ``ReceiptCheck`` lists the checks in order; they equal those of Apple's server libraries. The verifier contacts no
/// server, so it does not know whether Apple revoked a certificate.
///
/// ```swift
/// let root = try TrustedRoot(certificate: bytesOfAppleRootCAG3)
/// let app = AppleApp(bundleID: "com.example.app", appAppleID: 1_234_567_890, environments: [.production, .sandbox])
/// let verifier = try AppleVerifier(app: app, roots: [root])
/// let backend = LocalBackend(ledger: ledger, verifier: verifier)
/// ```
///
/// The verifier does not detect repeated receipts: the ledger credits each transaction once, and of two states of a
/// transaction the newer is valid.
public final class AppleVerifier: ReceiptVerifier {
  /// The maximum size of a transaction, renewal info or app transaction, in bytes.
  public static let byteCountMax = 32_768
  /// The maximum size of a notification, in bytes: it contains two of the other texts.
  public static let notificationByteCountMax = 131_072

  /// The app of accepted receipts.
  public let app: AppleApp
  private let trust: ChainTrust

  /// Creates a verifier.
  ///
  /// - Parameters:
  ///   - app: The app of accepted receipts, and their environments.
  ///   - roots: The trusted root certificates.
  /// - Throws: `LedgerError` with `configuration`: production without ``AppleApp/appAppleID``; an unverified
  ///   environment that is not a test session; two sessions of one kind.
  public init(app: AppleApp, roots: [TrustedRoot]) throws(LedgerError) {
    try app.check()
    self.app = app
    trust = ChainTrust(roots)
  }

  /// The SHA-256 of a text.
  public func digest(of text: String) -> [UInt8]? { TextDigest.sha256(of: text) }

  /// Verifies a transaction, for a backend.
  ///
  /// - Throws: As ``transaction(_:)``.
  public func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    try transaction(receipt.text).transaction
  }

  /// Verifies a transaction.
  ///
  /// - Throws: `LedgerError` with `receipt_malformed`, `receipt_unverified` or `bundle_mismatch`; the detail `check`
  ///   names the first ``ReceiptCheck`` that failed.
  public func transaction(_ text: String) throws(LedgerError) -> AppleTransaction {
    let fields = try signedFields(text, date: "signedDate")
    let environment = try environment(
      of: fields, bundleID: fields["bundleId"].optional?.shortText(), appAppleID: .absent)
    return AppleTransaction(
      claims: SignedClaims(fields),
      transaction: try ReceiptForm.appleTransaction(from: fields, environment: environment))
  }

  /// Verifies a renewal info.
  ///
  /// - Throws: As ``transaction(_:)``; it names no app, so no bundle id is compared.
  public func renewalInfo(_ text: String) throws(LedgerError) -> AppleRenewalInfo {
    let fields = try signedFields(text, date: "signedDate")
    _ = try environment(of: fields, bundleID: app.bundleID, appAppleID: .absent)
    return AppleRenewalInfo(claims: SignedClaims(fields))
  }

  /// Verifies an app transaction.
  ///
  /// - Throws: As ``transaction(_:)``.
  public func appTransaction(_ text: String) throws(LedgerError) -> AppleAppTransaction {
    let fields = try signedFields(text, date: "receiptCreationDate", environment: "receiptType")
    let id = try fields["appAppleId"].optional?.integer(in: 0...Int64.max)
    _ = try environment(
      of: fields, "receiptType", bundleID: fields["bundleId"].optional?.shortText(), appAppleID: .stated(id))
    return AppleAppTransaction(claims: SignedClaims(fields))
  }

  /// Verifies a notification, and separately the transaction and the renewal info in it.
  ///
  /// - Parameter text: The `signedPayload` of the request's body.
  /// - Throws: As ``transaction(_:)``.
  public func notification(_ text: String) throws(LedgerError) -> AppleNotification {
    let token = try SignedToken(text, byteCountMax: Self.notificationByteCountMax)
    let fields = try ReceiptFields(token.payload)
    let subject = try NotificationSubject(fields)
    let signedAt = try fields["signedDate"].time()
    if !isUnverified(subject.environment) { try trust.check(token, signedAt: signedAt) }
    let environment = try checkedEnvironment(
      subject.environment, bundleID: subject.bundleID, appAppleID: .stated(subject.appAppleID))
    let bought = try subject.transaction.map { (text) throws(LedgerError) in try transaction(text) }
    guard bought.map({ $0.transaction.environment == environment }) ?? true else {
      throw ReceiptCheck.environment.failure("its transaction is of another environment")
    }
    return AppleNotification(
      claims: SignedClaims(fields), id: try fields["notificationUUID"].shortText(),
      type: try fields["notificationType"].shortText(), signedAt: signedAt,
      transaction: bought,
      renewalInfo: try subject.renewalInfo.map { (text) throws(LedgerError) in try renewalInfo(text) })
  }

  /// Verifies a notification, and separately the transaction and the renewal info in it.
  ///
  /// - Returns: The notification's transaction.
  /// - Throws: As ``notification(_:)``.
  public func transaction(inNotice text: String) throws(LedgerError) -> StoreTransaction? {
    try notification(text).transaction?.transaction
  }

  // MARK: Steps

  private func signedFields(
    _ text: String, date: String, environment name: String = "environment"
  ) throws(LedgerError) -> ReceiptFields {
    let token = try SignedToken(text, byteCountMax: Self.byteCountMax)
    let fields = try ReceiptFields(token.payload)
    let signedAt = try fields[date].time()
    if !isUnverified(try fields[name].shortText()) { try trust.check(token, signedAt: signedAt) }
    return fields
  }

  /// Returns whether receipts of this environment are configured as unverified.
  private func isUnverified(_ environment: String) -> Bool {
    app.unverifiedEnvironments.contains { $0.payloadName.hasBytes(of: environment) }
  }

  private func environment(
    of fields: ReceiptFields, _ name: String = "environment", bundleID: String?, appAppleID: AppleApp.AppID
  ) throws(LedgerError) -> StoreEnvironment {
    try checkedEnvironment(try fields[name].shortText(), bundleID: bundleID, appAppleID: appAppleID)
  }

  private func checkedEnvironment(
    _ name: String, bundleID: String?, appAppleID: AppleApp.AppID
  ) throws(LedgerError) -> StoreEnvironment {
    try app.check(bundleID: bundleID, appAppleID: appAppleID, environment: name)
  }
}
#endif
