#if Server
internal import Foundation
internal import GemLedger

/// A call of the backend as a request, without its credential.
struct BackendRequest {
  let method: String
  let path: [String]
  /// The customer of the request, for a session token.
  let customer: CustomerID
  /// The id that it adds to the customer, for a second session token.
  var newCustomer: CustomerID?
  var query: [(name: String, value: String)] = []
  var body: JSONValue?
  /// The idempotency key of a spend.
  var key: IdempotencyKey?
  /// Whether it is sent with a session token at once, or only after a refusal of the public key.
  var session = Session.asked

  enum Session {
    case needed
    /// The public key also gets an answer, with fewer facts.
    case preferred
    /// Only after a refusal of the public key.
    case asked
  }

  static func get(
    _ path: String..., customer: CustomerID, session: Session = .asked, query: [(name: String, value: String)] = []
  ) -> Self { Self(method: "GET", path: path, customer: customer, query: query, session: session) }

  static func post(
    _ path: String..., customer: CustomerID, adding newCustomer: CustomerID? = nil, body: JSONValue? = nil
  ) -> Self {
    Self(method: "POST", path: path, customer: customer, newCustomer: newCustomer, body: body)
  }

  /// Returns a spend with a key; its customer and, if the header cannot contain it, its key are in the body.
  static func spend(
    _ path: String..., customer: CustomerID, key: IdempotencyKey, body: JSONObject
  ) -> Self {
    var body = body
    body["app_user_id"] = .string(customer.text)
    let fits = key.fitsHeader
    if !fits { body["idempotency_key"] = .string(key.text) }
    return Self(
      method: "POST", path: path, customer: customer, body: .object(body), key: fits ? key : nil,
      session: .needed)
  }

  /// - Parameters:
  ///   - credential: A public key or the customer's session token.
  ///   - newSessionToken: A session token of ``newCustomer``.
  func request(credential: String, newSessionToken: String? = nil) -> ClientRequest {
    var body = body
    if let newSessionToken, var members = body?.object {
      members["new_session_token"] = .string(newSessionToken)
      body = .object(members)
    }
    var target = (["v1"] + path).map { "/" + Self.encoded($0) }.joined()
    if !query.isEmpty {
      target += "?" + query.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
    }
    var headers = [("Authorization", "Bearer \(credential)"), ("Accept", "application/json")]
    if body != nil { headers.append(("Content-Type", "application/json")) }
    if let key { headers.append(("Idempotency-Key", key.text)) }
    return ClientRequest(
      method: method, target: target, headers: headers.map { (name: $0.0, value: $0.1) },
      body: body.map { Array($0.text().utf8) })
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  private static func encoded(_ text: String) -> String {
    // In URLs, these two parts mean a folder, so they must be encoded.
    if text == "." || text == ".." { return text.utf8.map { _ in "%2E" }.joined() }
    return text.utf8.map { byte in
      let scalar = UnicodeScalar(byte)
      if byte < 0x80, unreserved.contains(scalar) { return String(scalar) }
      let digits = String(byte, radix: 16, uppercase: true)
      return digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
    }.joined()
  }
}

extension IdempotencyKey {
  /// Whether a header field can contain the key unchanged: visible ASCII, without quotes, which a server removes.
  fileprivate var fitsHeader: Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 } }
}
#endif
