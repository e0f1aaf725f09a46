#if Server
package import GemLedger
internal import SystemCrypto
internal import SystemHTTP

/// A service account of Google Cloud, as its key file states it.
package struct GoogleServiceAccount: Sendable {
  /// The lifetime of an assertion, in milliseconds: the longest that Google accepts.
  static let assertionMilliseconds: Int64 = 3_600_000

  /// The endpoint that exchanges assertions for access tokens.
  let tokenURL: OutgoingURL
  private let email: String
  private let keyID: String?
  private let key: Crypto.SigningKey

  /// Reads a key file in Google's JSON form.
  ///
  /// - Throws: `LedgerError` with `configuration`.
  package init(json: [UInt8]) throws(LedgerError) {
    let value: JSONValue
    do throws(JSONError) { value = try .parse(json) } catch { throw Self.wrong("it is not JSON") }
    guard value["type"]?.text == "service_account", let email = value["client_email"]?.text, !email.isEmpty else {
      throw Self.wrong("it is of no service account")
    }
    guard let pem = value["private_key"]?.text, let key = Crypto.privateKey(pem: Array(pem.utf8)),
      Crypto.playKey(der: Crypto.der(ofPublic: key)) != nil
    else { throw Self.wrong("its private_key is no RSA key") }
    do throws(LedgerError) { tokenURL = try OutgoingURL(value["token_uri"]?.text ?? "") } catch {
      throw Self.wrong("its token_uri is no address")
    }
    self.email = email
    self.key = key
    keyID = value["private_key_id"]?.text
  }

  /// Returns a signed claim of the account's identity (RFC 7523), valid for one exchange.
  func assertion(for scope: String, at instant: Timestamp) -> String {
    var header: JSONObject = ["alg": "RS256", "typ": "JWT"]
    if let keyID { header["kid"] = .string(keyID) }
    let seconds = instant.milliseconds / 1000
    let claims: JSONValue = [
      "iss": .string(email), "scope": .string(scope), "aud": .string(tokenURL.description), "iat": .integer(seconds),
      "exp": .integer(seconds + Self.assertionMilliseconds / 1000),
    ]
    let parts = [JSONValue.object(header), claims].map { Base64URL.text(Array($0.text().utf8)) }
    let signed = parts.joined(separator: ".")
    return signed + "." + Base64URL.text(Crypto.serviceSignature(of: Array(signed.utf8), by: key))
  }

  private static func wrong(_ what: String) -> LedgerError {
    LedgerError(
      .configuration,
      "The key file of the Google service account cannot be used: \(what). Make one in Google Cloud's "
        + "console, as JSON.")
  }
}
#endif
