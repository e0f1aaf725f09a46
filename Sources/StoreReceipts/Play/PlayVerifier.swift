#if Receipts
public import GemLedger
public import StoreBackend
internal import SystemCrypto

/// Verifies purchases that Google Play signed for an app.
///
/// The signature proves the purchase, but not its later state: refunds are reported by Google's server, which the app's
/// backend asks. The purchases of a simulated Google Play include refunds.
public struct PlayVerifier: ReceiptVerifier {
  /// The maximum size of a receipt, in bytes.
  public static let byteCountMax = 32_768

  /// The environment of the purchases, which Google's data does not contain.
  public let environment: StoreEnvironment
  /// The package name of the app; nil if another part compares it, as `LocalBackend` does with the catalog's.
  public var packageName: String?
  private let key: Crypto.VerifyingKey

  /// Creates a verifier.
  ///
  /// - Parameters:
  ///   - publicKey: The app's licensing key of the Play Console: an RSA key in base64.
  ///   - environment: The environment of the purchases.
  /// - Throws: `LedgerError` with `configuration` for an invalid key.
  public init(publicKey: String, environment: StoreEnvironment) throws(LedgerError) {
    guard let key = Base64.decode(publicKey).flatMap(Crypto.playKey) else {
      throw LedgerError(.configuration, "The licensing key is not an RSA key in base64. Copy it from the Play Console.")
    }
    self.init(key, environment: environment)
  }

  init(_ key: Crypto.VerifyingKey, environment: StoreEnvironment) {
    self.key = key
    self.environment = environment
  }

  /// The SHA-256 of a text.
  public func digest(of text: String) -> [UInt8]? { TextDigest.sha256(of: text) }

  /// Verifies a purchase.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `receipt_malformed`, check `structure`;
  ///   `receipt_unverified`, check `signature`; `receipt_malformed`, check `payload`; `receipt_unverified`, check
  ///   `environment`, if the purchase names another environment; `bundle_mismatch`, for another app than
  ///   ``packageName``.
  public func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    let parts = try PlayReceipt(receipt.text, byteCountMax: Self.byteCountMax)
    let data = Array(parts.data.utf8)
    guard let signature = Base64.decode(parts.signature), Crypto.isPlaySignature(signature, of: data, by: key) else {
      throw ReceiptCheck.signature.failure("its signature does not match its content")
    }
    let fields = try ReceiptFields(data)
    if let name = try fields["environment"].optional?.shortText(), !name.hasBytes(of: environment.payloadName) {
      throw ReceiptCheck.environment.failure("it is of the environment \"\(name.prefix(60))\"")
    }
    let transaction = try ReceiptForm.playTransaction(from: fields, environment: environment)
    if let packageName, !packageName.hasBytes(of: transaction.bundleID) {
      throw ReceiptCheck.bundle.failure(
        "for the app \"\(transaction.bundleID.prefix(100))\", not for \(packageName)",
        .text("bundle_id", transaction.bundleID))
    }
    return transaction
  }
}

extension PlayReceipt {
  init(_ text: String, byteCountMax: Int) throws(LedgerError) {
    guard text.utf8.count <= byteCountMax else {
      throw ReceiptCheck.structure.failure("it has \(text.utf8.count) bytes; the maximum is \(byteCountMax)")
    }
    let value: JSONValue
    do throws(JSONError) { value = try .parse(text) } catch {
      throw ReceiptCheck.structure.failure("it is not JSON: \(error)")
    }
    guard let data = value[Self.dataName]?.text, let signature = value[Self.signatureName]?.text else {
      throw ReceiptCheck.structure.failure("it lacks \(Self.dataName) or \(Self.signatureName)")
    }
    self.init(data: data, signature: signature)
  }
}
#endif
