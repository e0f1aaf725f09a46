#if Receipts
public import GemLedger
public import StoreBackend
internal import SystemCrypto

/// Signed purchases of a simulated Google Play, and their verifier.
public struct LocalPlayReceipts: ReceiptSigner, ReceiptVerifier {
  /// The verifier of these receipts.
  public let verifier: PlayVerifier
  private let key: PlayKey

  /// Creates receipts of one environment.
  public init(key: PlayKey, environment: StoreEnvironment) {
    self.key = key
    verifier = PlayVerifier(key.key, environment: environment)
  }

  /// Returns the signed purchase in its present state.
  public func receipt(for transaction: StoreTransaction) -> StoreReceipt {
    let data = ReceiptForm.payload(of: transaction)
    let signature = Base64.text(Crypto.playSignature(of: data, by: key.key))
    return StoreReceipt(PlayReceipt(data: String(decoding: data, as: UTF8.self), signature: signature).text)
  }

  /// The SHA-256 of a text.
  public func digest(of text: String) -> [UInt8]? { verifier.digest(of: text) }

  /// Verifies a purchase.
  ///
  /// - Throws: As ``PlayVerifier/verify(_:)``.
  public func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    try verifier.verify(receipt)
  }
}

/// The key with which a simulated Google Play signs the purchases of an app.
public struct PlayKey: Sendable {
  let key: Crypto.SigningKey

  /// Makes a new key, which takes a tenth of a second.
  public init() { key = Crypto.makeKey(.rsa) }

  /// Opens a key from the text of its file.
  ///
  /// - Throws: `LedgerError` with `storage_damaged` for an invalid text.
  public init(pem: [UInt8]) throws(LedgerError) {
    guard let key = Crypto.privateKey(pem: pem), Crypto.playKey(der: Crypto.der(ofPublic: key)) != nil else {
      throw LedgerError(.storageDamaged, "The file of the store's key must contain an RSA key.")
    }
    self.key = key
  }

  /// The text of the key's file; only the file's owner may read it.
  public var pem: String { Crypto.pem(of: key) }

  /// The public key, as the Play Console shows it.
  public var publicKey: String { Base64.text(Crypto.der(ofPublic: key)) }
}
#endif
