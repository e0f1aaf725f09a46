#if Server
package import GemLedger
internal import StoreBackend
internal import SystemCrypto

/// Creates and reads session tokens, with which a customer's app spends: signed, with a limited lifetime.
///
/// The app's server requests a token with its secret key after it has authenticated the customer.
package struct SessionTokens: Sendable {
  /// The prefix of every token.
  package static let prefix = "gst_"
  /// The permitted lifetimes of a token, in seconds.
  package static let lifetimes: ClosedRange<Int64> = 60...86_400

  private let projectID: String
  private let secret: [UInt8]

  /// - Parameter secret: 32 random bytes, the same for every server of the project.
  package init(projectID: String, secret: [UInt8]) {
    self.projectID = projectID
    self.secret = secret
  }

  private static let documentName = "session-secret"

  /// Creates the tokens of a project with the secret in its storage; the first server creates the secret.
  package init(projectID: String, keptIn ledger: Ledger) throws(LedgerError) {
    let content = try ledger.documents.content(of: Self.documentName) {
      "\"\(Base64URL.text((0..<32).map { _ in UInt8.random(in: .min ... .max) }))\""
    }
    guard let secret = Base64URL.decode(Array(content.utf8.dropFirst().dropLast())), secret.count == 32 else {
      throw LedgerError(.storageDamaged, "The secret of session tokens cannot be read.")
    }
    self.init(projectID: projectID, secret: secret)
  }

  /// Returns whether both use the same secret, as in one storage and its copies.
  func haveSecret(of other: SessionTokens) -> Bool { secret == other.secret }

  package func make(for customer: CustomerID, until end: Timestamp) -> String {
    let claims: JSONValue = [
      "p": .string(projectID), "c": .string(customer.text), "e": .integer(end.milliseconds / 1000),
    ]
    let body = Base64URL.text(Array(claims.text().utf8))
    return "\(Self.prefix)\(body).\(Base64URL.text(code(of: body)))"
  }

  /// Returns the customer of a token; nil if it belongs to another project.
  ///
  /// - Throws: `LedgerError` with `unauthenticated` for a token that was changed or has expired.
  package func read(_ token: String, now: Timestamp) throws(LedgerError) -> CustomerID? {
    let parts = token.dropFirst(Self.prefix.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let code = Base64URL.decode(Array(parts[1].utf8)),
      let claims = Self.claims(parts[0]), let project = claims["p"]?.text, let customer = claims["c"]?.text,
      let end = claims["e"]?.integer
    else { throw LedgerError(.unauthenticated, "This is no session token.") }
    guard project.hasBytes(of: projectID) else { return nil }
    guard Crypto.areEqual(code, self.code(of: String(parts[0]))) else {
      throw LedgerError(.unauthenticated, "This session token is not of this server.")
    }
    guard now.milliseconds / 1000 < end else {
      throw LedgerError(.unauthenticated, "This session token is past its end; ask your server for a new one.")
    }
    return try CustomerID(customer)
  }

  private func code(of body: String) -> [UInt8] {
    Crypto.authenticationCode(of: Array(body.utf8), key: secret)
  }

  private static func claims(_ body: Substring) -> JSONValue? {
    guard let bytes = Base64URL.decode(Array(body.utf8)) else { return nil }
    do throws(JSONError) { return try JSONValue.parse(bytes) } catch { return nil }
  }
}
#endif
