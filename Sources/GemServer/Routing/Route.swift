#if Server
package import GemLedger
/// One operation of the server: its description, and the work.
///
/// The router, the checks of access and body, and the OpenAPI description all use it.
package struct Route: Sendable {
  /// The method in capitals.
  package let method: String
  /// The path, with names in braces, such as `/v2/projects/{project_id}/customers`.
  package let path: String
  /// The operation's name in the OpenAPI description, such as `create_transaction`.
  package let name: String
  /// One line for readers of the API.
  package let summary: String
  package let access: Access
  package var style = ErrorStyle.rest
  package var query: [Parameter] = []
  /// The header fields that change its behavior.
  package var headers: [Parameter] = []
  /// The form of the body; nil for no body.
  package var body: Schema?
  /// The forms of successful answers, by status; an empty object for an empty answer.
  package var answers: [Int: Schema] = [:]
  /// The media type of successful answers.
  package var mediaType = "application/json"
  /// The rate limit that applies; nil for none.
  package var rate: RateDomain?
  /// Whether unknown members of the body are ignored; in API v1 also unknown parameters of the query.
  ///
  /// Each version of the SDKs sends new members; refusing them would cost purchases.
  package var takesUnknown = false
  /// Whether the work reads the query: its parameters may be repeated, and have separate errors.
  package var takesAnyQuery = false
  /// Whether it takes evidence of a payment, which SDKs discard after a status of 400 to 499.
  ///
  /// For errors that may be temporary it returns 503, so that the purchase is posted again.
  package var takesPurchase = false
  /// Whether it exists only for old clients.
  package var isDeprecated = false
  package let work: Work
}

/// A named value in the query, the path or the head of a request.
package struct Parameter: Sendable {
  package let name: String
  package let schema: Schema
  package let help: String
  package var isRequired = false
  /// Whether the query may repeat it; its value is then the list of all values.
  package var isRepeatable = false

  package init(
    _ name: String, _ schema: Schema, _ help: String, isRequired: Bool = false, isRepeatable: Bool = false
  ) {
    self.name = name
    self.schema = schema
    self.help = help
    self.isRequired = isRequired
    self.isRepeatable = isRepeatable
  }
}

/// Groups of operations that share a rate limit, as in RevenueCat's API.
package enum RateDomain: String, Sendable, CaseIterable {
  case projectConfiguration = "Project Configuration"
  case customerInformation = "Customer Information"
  case createTransaction = "Virtual Currencies - Create Transaction"

  /// The default limit of requests per minute and key.
  package var defaultLimit: Int {
    switch self {
    case .projectConfiguration: 60
    case .customerInformation, .createTransaction: 480
    }
  }
}

/// The required access of an operation.
package enum Access: Hashable, Sendable {
  /// No key is required.
  case open
  /// A secret key with the scope.
  case secret(Scope)
  /// Any key of the project, also a public key, or a session token; with a token, only for its customer.
  case app
  /// A session token, only for its customer's currency.
  case session
}

/// A permission of a secret key, such as `customer_information:purchases:read`.
package struct Scope: Hashable, Sendable, CustomStringConvertible {
  /// The scope without the access at its end, such as `customer_information:purchases`.
  package let area: String
  package let writes: Bool

  package init(_ area: String, writes: Bool = false) {
    self.area = area
    self.writes = writes
  }

  package var description: String { "\(area):\(writes ? "read_write" : "read")" }

  /// Returns the scope with this text; nil unless it ends in `:read` or `:read_write`.
  package init?(text: String) {
    for (ending, writes) in [(":read_write", true), (":read", false)] where text.hasSuffix(ending) {
      self.init(String(text.dropLast(ending.count)), writes: writes)
      return
    }
    return nil
  }

  /// Returns whether a key with this scope has the needed scope.
  package func covers(_ needed: Scope) -> Bool { area == needed.area && (writes || !needed.writes) }

  package static let currencies = Scope("project_configuration:virtual_currencies")
  package static let products = Scope("project_configuration:products")
  package static let offerings = Scope("project_configuration:offerings")
  package static let catalog = Scope("project_configuration:catalog")
  package static let customers = Scope("customer_information:customers")
  package static let purchases = Scope("customer_information:purchases")
  package static let events = Scope("ledger:events")
  package static let webhooks = Scope("ledger:webhooks")
  package static let books = Scope("ledger:books")
  package static let keys = Scope("ledger:keys")

  /// The scope of the same area with write access.
  package var writing: Scope { Scope(area, writes: true) }

  /// All scopes of the server, each area's read access before its write access.
  package static let all = [
    currencies, products, offerings, catalog, customers, purchases, events, webhooks, books, keys,
  ].flatMap { [$0, $0.writing] }
}

extension [Scope] {
  /// Returns whether a key with these scopes may do what needs a scope; a key without scopes may do everything.
  package func allow(_ needed: Scope) -> Bool { isEmpty || contains { $0.covers(needed) } }
}
#endif
