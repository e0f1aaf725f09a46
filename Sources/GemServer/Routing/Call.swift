#if Server
package import GemLedger
package import SystemHTTP

/// A request that found its operation, from a caller who may make it.
package struct Call: Sendable {
  package internal(set) var request: HTTPRequest
  package let project: ServerProject
  package let caller: Caller
  /// The parts of the path that stand for names in braces.
  package let names: [String: String]
  /// The checked body; an empty object where the operation takes none.
  package internal(set) var body: JSONObject
  /// The checked parameters of the query.
  package let query: [String: JSONValue]
  /// Whether the caller would be admitted now; work that outlives its request asks again.
  package let isStillAdmitted: @Sendable () -> Bool

  /// The part of the path with this name.
  package func name(_ name: String) -> String { names[name] ?? "" }

  /// The customer that the path names, or else the session token.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`.
  package func customer() throws(LedgerError) -> CustomerID {
    if case .session(let customer) = caller.kind { return customer }
    return try CustomerID(names["customer_id"] ?? names["app_user_id"] ?? "")
  }

  /// The field with the caller's key.
  package static let keyField = "Idempotency-Key"

  /// The key of `Idempotency-Key`: as it is, or in quotes as the draft of the header has it.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`.
  package func idempotencyKey() throws(LedgerError) -> IdempotencyKey? {
    try request.headers[Self.keyField].map { (text) throws(LedgerError) in try IdempotencyKey(Self.key(in: text)) }
  }

  /// The key's text, without the quotes that the draft of the header has.
  static func key(in text: String) -> String {
    let isQuoted = text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
    return isQuoted ? String(text.dropFirst().dropLast()) : text
  }

  /// How many elements a page of a list is to have.
  package var limit: Int { Int(min(max(query["limit"]?.integer ?? 20, 1), 100)) }
}

extension Route {
  /// The work, with its errors as ``style`` writes them.
  package enum Work: Sendable {
    /// Work that waits for nobody, such as a read: it is done on the thread that read the request.
    case now(@Sendable (Call) throws(LedgerError) -> HTTPResponse)
    /// Work that waits, such as a booking.
    case later(@Sendable (Call) async throws(LedgerError) -> HTTPResponse)
  }
}

/// Who calls.
package struct Caller: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Nobody who is known.
    case anybody
    /// The project's own server; with no scopes it may do everything.
    case secret(scopes: [Scope])
    /// An app, by the store that it is sold through.
    case app(AppStoreKind)
    /// A customer.
    case session(CustomerID)
  }

  package let kind: Kind
  /// The key's id, for logs and rate limits; empty for nobody.
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

  /// What its public keys begin with.
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
