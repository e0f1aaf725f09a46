#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemCrypto

/// The in-app purchase key of a simulated App Store, with which backends sign their tokens.
///
/// The ledger stores it, so that backends can keep using their copy after a restart of the simulator.
struct SimulatedAppStoreKey: Sendable {
  /// The maximum lifetime of a token, in seconds.
  private static let lifetimeSeconds: Int64 = 3600
  /// The permitted lead of a backend's clock, in seconds.
  private static let skewSeconds: Int64 = 60
  private static let documentName = "simulator-app-store-key"

  let keyID: String
  let issuerID: String
  let pem: String
  private let key: Crypto.VerifyingKey

  /// Loads the ledger's key, or creates it at the first use.
  ///
  /// - Throws: `LedgerError` with `storage_damaged`, and those of the storage.
  init(keptIn ledger: Ledger) throws(LedgerError) {
    let content = try ledger.documents.content(of: Self.documentName) {
      let new: JSONValue = [
        "key_id": .string(String((0..<10).map { _ in "ABCDEFGHJKLMNPQRSTUVWXYZ23456789".randomElement() ?? "A" })),
        "issuer_id": .string(Self.newID()), "pem": .string(Crypto.pem(of: Crypto.makeKey(.p256))),
      ]
      return new.text()
    }
    guard let one = Self(content) else {
      throw LedgerError(
        .storageDamaged, "The simulated App Store's key cannot be read. Use a new ledger for the simulator.")
    }
    self = one
  }

  private init?(_ content: String) {
    guard let members = Self.parse(Array(content.utf8)), let keyID = members["key_id"]?.text,
      let issuerID = members["issuer_id"]?.text, let pem = members["pem"]?.text,
      let key = Crypto.privateKey(pem: Array(pem.utf8)).flatMap(Crypto.p256Key)
    else { return nil }
    (self.keyID, self.issuerID, self.pem, self.key) = (keyID, issuerID, pem, key)
  }

  /// A random UUID of version 4.
  static func newID() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: 0 ... .max) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text = Hex.text(bytes)
    for place in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: place)) }
    return text
  }

  /// Returns whether Apple would accept a token: signed with this key, for the app, issued and not yet expired.
  ///
  /// - Parameters:
  ///   - field: The value of the header `Authorization`.
  ///   - instant: The real time.
  func admits(_ field: String?, bundleID: String, at instant: Timestamp) -> Bool {
    guard let field, field.hasPrefix("Bearer ") else { return false }
    let parts = field.dropFirst("Bearer ".count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(in: parts[0]), let claims = Self.object(in: parts[1]),
      let signature = Base64URL.decode(Array(parts[2].utf8)), header["alg"]?.text == "ES256",
      header["kid"]?.text == keyID, header["typ"].map({ $0.text == "JWT" }) ?? true,
      Array("\(parts[0]).\(parts[1])".utf8).withUnsafeBytes({ Crypto.isSignature(signature, of: $0, by: key) })
    else { return false }
    let now = instant.milliseconds / 1000
    guard let begin = claims["iat"]?.integer, let end = claims["exp"]?.integer else { return false }
    return claims["iss"]?.text == issuerID && claims["aud"]?.text == AppStoreServerKey.audience
      && claims["bid"]?.text?.hasBytes(of: bundleID) ?? false && begin <= now + Self.skewSeconds && now < end
      && begin < end && end - begin <= Self.lifetimeSeconds
  }

  private static func object(in part: Substring) -> JSONObject? {
    Base64URL.decode(Array(part.utf8)).flatMap(parse)
  }

  private static func parse(_ bytes: [UInt8]) -> JSONObject? {
    do throws(JSONError) { return try JSONValue.parse(bytes).object } catch { return nil }
  }
}
#endif
