#if Server
/// One operation of the server: its description, and the work.
///
/// Everything that is known of an operation stands here: the router finds it, the checks of access and of the body
/// follow it, and so does the OpenAPI description.
package struct Route: Sendable {
  /// In capitals.
  package let method: String
  /// With names in braces, such as `/v2/projects/{project_id}/customers`.
  package let path: String
  /// Its name in the OpenAPI description, such as `create_transaction`.
  package let name: String
  /// One line for readers of the API.
  package let summary: String
  package let access: Access
  package var style = ErrorStyle.rest
  package var query: [Parameter] = []
  /// Header fields that change what it does.
  package var headers: [Parameter] = []
  /// The body that it takes; nil for none.
  package var body: Schema?
  /// What it answers where it succeeds, by status; an empty object where there is no body.
  package var answers: [Int: Schema] = [:]
  /// The media type of those answers.
  package var mediaType = "application/json"
  /// The rate limit that it counts under; nil for none.
  package var rate: RateDomain?
  /// Whether members of the body that are not described are passed over; of API v1 also parameters of the query.
  ///
  /// SDKs send new ones with every version; a refusal would cost their users a purchase.
  package var takesUnknown = false
  /// Whether the query is the work's to read: its parameters may be repeated, and wrong ones have errors of their own.
  package var takesAnyQuery = false
  /// Whether it takes evidence of a payment, which SDKs throw away after a status of 400 to 499.
  ///
  /// Such an operation answers 503 to all that may be good another time, so that the purchase is posted again.
  package var takesPurchase = false
  /// Whether it is there for old clients only.
  package var isDeprecated = false
  package let work: Work
}

/// A named value in the query, the path or the head of a request.
package struct Parameter: Sendable {
  package let name: String
  package let schema: Schema
  package let help: String
  package var isRequired = false
  /// Whether a query may have it several times; its value is the list of all.
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

/// Operations that share a rate limit, as RevenueCat groups them.
package enum RateDomain: String, Sendable, CaseIterable {
  case projectConfiguration = "Project Configuration"
  case customerInformation = "Customer Information"
  case createTransaction = "Virtual Currencies - Create Transaction"

  /// How many requests a minute a key may make, unless the server is told otherwise.
  package var defaultLimit: Int {
    switch self {
    case .projectConfiguration: 60
    case .customerInformation, .createTransaction: 480
    }
  }
}

/// Who may call an operation.
package enum Access: Hashable, Sendable {
  /// Anybody.
  case open
  /// A secret key with the scope.
  case secret(Scope)
  /// Any key of the project, a public one too, or a session token; the work refuses other customers than the token's.
  case app
  /// A customer with a session token, for the customer's own currency only.
  case session
}

/// What a secret key may be restricted to, such as `customer_information:purchases:read`.
package struct Scope: Hashable, Sendable, CustomStringConvertible {
  /// Without the access at its end, such as `customer_information:purchases`.
  package let area: String
  package let writes: Bool

  package init(_ area: String, writes: Bool = false) {
    self.area = area
    self.writes = writes
  }

  package var description: String { "\(area):\(writes ? "read_write" : "read")" }

  /// The scope with this text; nil unless it ends in `:read` or `:read_write`.
  package init?(text: String) {
    for (ending, writes) in [(":read_write", true), (":read", false)] where text.hasSuffix(ending) {
      self.init(String(text.dropLast(ending.count)), writes: writes)
      return
    }
    return nil
  }

  /// Whether a key with this scope may do what needs the other one.
  package func covers(_ needed: Scope) -> Bool { area == needed.area && (writes || !needed.writes) }

  package static let currencies = Scope("project_configuration:virtual_currencies")
  package static let products = Scope("project_configuration:products")
  package static let offerings = Scope("project_configuration:offerings")
  package static let customers = Scope("customer_information:customers")
  package static let purchases = Scope("customer_information:purchases")
  package static let events = Scope("ledger:events")
  package static let webhooks = Scope("ledger:webhooks")
  package static let books = Scope("ledger:books")

  /// The same area, to write.
  package var writing: Scope { Scope(area, writes: true) }
}
#endif
