#if Receipts
public import GemLedger
public import StoreBackend
internal import SystemCrypto

/// Verifies purchases that Google Play signed for an app.
///
/// The signature proves that the purchase was made, and nothing of what became of it: refunds come from Google's
/// server, which the app's own backend asks. The purchases of a simulated Google Play state those too.
public struct PlayVerifier: ReceiptVerifier {
  /// Longest receipt that is looked at, in bytes.
  public static let byteCountMax = 32_768

  /// Where the purchases come from; Google's data does not say.
  public let environment: StoreEnvironment
  /// The package name of the app; nil where another part compares it, as `LocalBackend` does with the catalog's.
  public var packageName: String?
  private let key: Crypto.VerifyingKey

  /// Makes a verifier.
  ///
  /// - Parameters:
  ///   - publicKey: The app's licensing key of the Play Console: an RSA key in base64.
  ///   - environment: Where the purchases come from.
  /// - Throws: `LedgerError` with `configuration` where the key is none.
  public init(publicKey: String, environment: StoreEnvironment) throws(LedgerError) {
    guard let key = Base64.decode(publicKey).flatMap(Crypto.playKey) else {
      throw LedgerError(.configuration, "The licensing key is no RSA key in base64; copy it from the Play Console.")
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
  ///   `environment`, where the purchase names another one; `bundle_mismatch`, for another app than ``packageName``.
  public func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    let parts = try PlayReceipt(receipt.text, byteCountMax: Self.byteCountMax)
    let data = Array(parts.data.utf8)
    guard let signature = Base64.decode(parts.signature), Crypto.isPlaySignature(signature, of: data, by: key) else {
      throw ReceiptCheck.signature.failure("its signature does not fit its content")
    }
    let fields = try ReceiptFields(data)
    if let name = try fields.optionalText("environment"), !name.hasBytes(of: environment.payloadName) {
      throw ReceiptCheck.environment.failure("it comes from the environment \"\(name.prefix(60))\"")
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
      throw ReceiptCheck.structure.failure("it has \(text.utf8.count) bytes; the most is \(byteCountMax)")
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
