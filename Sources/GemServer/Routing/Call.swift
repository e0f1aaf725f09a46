#if Server
package import GemLedger
package import SystemHTTP

/// Checks access again, for work that outlives its request.
protocol AccessCheck: Sendable {
  /// Returns whether the request is admitted now.
  func admits(_ request: HTTPRequest, to access: Access, projectID: String?) -> Bool
}

/// A request with its operation, from a caller with access.
package struct Call: Sendable {
  package let request: HTTPRequest
  package let project: ServerProject
  package let caller: Caller
  /// The values of the names in braces in the path.
  package let names: PathNames
  /// The checked body; an empty object if the operation has none.
  package let body: JSONObject
  /// The checked parameters of the query.
  package let query: [String: JSONValue]
  let accessCheck: any AccessCheck
  let access: Access

  /// Returns whether the caller still has access; for work that outlives its request.
  package func isStillAdmitted() -> Bool {
    accessCheck.admits(request, to: access, projectID: names["project_id"])
  }

  /// Returns the part of the path with this name.
  package func name(_ name: String) -> String { names[name] ?? "" }

  /// Returns the customer in the path, or else in the session token.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`.
  package func customer() throws(LedgerError) -> CustomerID {
    if case .session(let customer) = caller.kind { return customer }
    return try CustomerID(names["customer_id"] ?? names["app_user_id"] ?? "")
  }

  /// The header field with the caller's idempotency key.
  package static let keyField = "Idempotency-Key"

  /// Returns the key of `Idempotency-Key`, with or without the quotes that the draft of the header requires.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`.
  package func idempotencyKey() throws(LedgerError) -> IdempotencyKey? {
    try request.headers[Self.keyField].map { (text) throws(LedgerError) in try IdempotencyKey(Self.key(in: text)) }
  }

  /// Returns the key's text without the quotes that the draft of the header requires.
  static func key(in text: String) -> String {
    let isQuoted = text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
    return isQuoted ? String(text.dropFirst().dropLast()) : text
  }

  /// The number of elements on a page of a list.
  package var limit: Int { Int(min(max(query["limit"]?.integer ?? 20, 1), 100)) }
}

extension Route {
  /// The work; ``style`` determines the format of its errors.
  package enum Work: Sendable {
    /// Work that does not wait, such as a read: runs on the thread that read the request.
    case now(@Sendable (Call) throws(LedgerError) -> HTTPResponse)
    /// Work that waits, such as a booking.
    case later(@Sendable (Call) async throws(LedgerError) -> HTTPResponse)
  }
}

/// The caller of an operation.
package struct Caller: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A caller without a key.
    case anybody
    /// The project's server; without scopes it may do everything.
    case secret(scopes: [Scope])
    /// An app, by the store that it is sold through.
    case app(AppStoreKind)
    /// A customer.
    case session(CustomerID)
  }

  package let kind: Kind
  /// The key's id, for logs and rate limits; empty without a key.
  package let keyID: String

  package init(_ kind: Kind, keyID: String = "") {
    self.kind = kind
    self.keyID = keyID
  }
}

/// The store that an app with a public key is sold through.
package enum AppStoreKind: String, Hashable, Sendable, CaseIterable {
  case apple
  case google
  case amazon
  case test

  /// The prefix of its public keys.
  package var prefix: String {
    switch self {
    case .apple: "appl_"
    case .google: "goog_"
    case .amazon: "amzn_"
    case .test: "test_"
    }
  }
}
#endif
