#if Server
package import GemLedger
internal import StoreBackend
internal import StoreReceipts
internal import SystemCrypto

/// An in-app purchase key of App Store Connect, with which a server calls the App Store Server API.
package struct AppStoreServerKey: Sendable {
  /// The lifetime of a token, in seconds: Apple accepts up to an hour, and its libraries use this.
  static let tokenSeconds: Int64 = 300
  static let audience = "appstoreconnect-v1"

  private let keyID: String
  private let issuerID: String
  private let key: Crypto.SigningKey

  /// Reads a key file of App Store Connect.
  ///
  /// - Parameters:
  ///   - pem: The file `SubscriptionKey_….p8`.
  ///   - keyID: The key's id, such as `2X9R4HXF34`.
  ///   - issuerID: The issuer id shown with the list of keys, a UUID.
  /// - Throws: `LedgerError` with `configuration`.
  package init(pem: [UInt8], keyID: String, issuerID: String) throws(LedgerError) {
    guard let key = Crypto.privateKey(pem: pem), Crypto.p256Key(ofPublic: key) != nil else {
      throw Self.wrong("its file holds no private key with P-256")
    }
    guard keyID.wholeMatch(of: /[A-Za-z0-9]{1,64}/) != nil else {
      throw Self.wrong("its id has to be letters and digits, such as 2X9R4HXF34")
    }
    guard issuerID.wholeMatch(of: /[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/) != nil else {
      throw Self.wrong("its issuer id has to be a UUID")
    }
    self.key = key
    self.keyID = keyID
    self.issuerID = issuerID
  }

  /// Returns a token for requests about an app.
  ///
  /// - Parameter instant: The real time, which Apple compares.
  func token(for bundleID: String, at instant: Timestamp) -> String {
    let seconds = instant.milliseconds / 1000
    let header: JSONValue = ["alg": "ES256", "kid": .string(keyID), "typ": "JWT"]
    let claims: JSONValue = [
      "iss": .string(issuerID), "iat": .integer(seconds), "exp": .integer(seconds + Self.tokenSeconds),
      "aud": .string(Self.audience), "bid": .string(bundleID),
    ]
    let signed = [header, claims].map { Base64URL.text(Array($0.text().utf8)) }.joined(separator: ".")
    let signature = Array(signed.utf8).withUnsafeBytes { Crypto.signature(of: $0, by: key) }
    return signed + "." + Base64URL.text(signature)
  }

  // MARK: Promotional offers

  /// The signature that StoreKit requires to sell a product at the price of a promotional offer.
  struct OfferSignature: Hashable, Sendable {
    let keyID: String
    /// A UUID in lower case, for one purchase.
    let nonce: String
    let signedAt: Timestamp
    /// The DER signature in base64.
    let text: String
  }

  /// Signs a promotional offer, which StoreKit accepts for 24 hours.
  ///
  /// - Parameters:
  ///   - user: The buyer's account token, which RevenueCat's SDK sets if the id is a UUID; nil for none.
  ///   - nonce: A unique UUID in lower case.
  func offer(
    _ offer: String, of product: String, in bundleID: String, user: AccountToken?, nonce: String, at instant: Timestamp
  ) -> OfferSignature {
    let parts = [bundleID, keyID, product, offer, user?.description ?? "", nonce, String(instant.milliseconds)]
    let signature = Array(parts.joined(separator: "\u{2063}").utf8).withUnsafeBytes {
      Crypto.signature(of: $0, by: key)
    }
    return OfferSignature(
      keyID: keyID, nonce: nonce, signedAt: instant, text: Base64.text(Crypto.der(ofSignature: signature)))
  }

  private static func wrong(_ what: String) -> LedgerError {
    LedgerError(
      .configuration,
      "The in-app purchase key of the App Store cannot be used: \(what). Make one in App Store Connect under Users and "
        + "Access, Integrations, In-App Purchase.")
  }
}
#endif
