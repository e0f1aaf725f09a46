package import GemLedger

/// The rules for which wallets a caller may read, spend and join; pure.
///
/// ``table`` contains all rules: handlers collect the facts, call ``decide(_:_:)``, and follow the decision. The page
/// *Threat model* publishes the same rows.
package enum WalletRights {
  package enum Operation: String, CaseIterable, Sendable {
    case read = "read a customer"
    case postReceipt = "post a receipt"
    case openOrder = "open an order"
    case useOrder = "read, complete or cancel an order by its code"
    case openCostlyOrder = "open an order that costs currency"
    case listOrders = "list orders"
    case spend
    case restore
    case logIn = "log in"
    case createAlias = "add an alias"
    case createSessionToken = "make a session token"

    /// Whether it names a second id that is added to the customer.
    package var joins: Bool { self == .logIn || self == .createAlias }
  }

  /// The credential of the caller.
  package enum Caller: String, CaseIterable, Sendable {
    case publicKey = "public key"
    /// Of an id of the customer, or of the other id in an operation that joins two ids.
    case token = "session token"
    case otherToken = "session token of another customer"
    /// Of an anonymous id; its customer has a named id now.
    case endedToken = "ended session token"
    case secretKey = "secret key"
  }

  /// The kind of customer that an id names.
  package enum IDKind: String, CaseIterable, Sendable {
    /// An anonymous id that no customer has.
    case newAnonymous = "new anonymous id"
    /// A named id that no customer has.
    case newNamed = "new named id"
    /// An anonymous id of a customer with only anonymous ids.
    case anonymous = "anonymous id"
    /// A named id of a customer.
    case named = "named id"
    /// An anonymous id of a customer with a named id.
    case formerAnonymous = "anonymous id of a named customer"

    /// Whether joining the id merges no named customer.
    package var isAnonymous: Bool { self == .newAnonymous || self == .anonymous }
  }

  /// An id of a request: its kind, and whether the caller proved to own it.
  package struct Side: Hashable, Sendable {
    package var kind: IDKind
    /// By a secret key, or by a session token of this id or of its customer.
    package var isProven: Bool

    package init(_ kind: IDKind, isProven: Bool) {
      self.kind = kind
      self.isProven = isProven
    }
  }

  /// The facts of a request.
  package struct Facts: Hashable, Sendable {
    package var caller: Caller
    package var customer: Side
    /// The id that joins the customer, or the id to log in as; nil for the operations with one id.
    package var other: Side?
    package var logins: Logins

    package init(_ caller: Caller, _ customer: Side, other: Side? = nil, logins: Logins = .open) {
      self.caller = caller
      self.customer = customer
      self.other = other
      self.logins = logins
    }
  }

  /// The credential that the caller needs instead.
  package enum Need: String, CaseIterable, Sendable {
    case sessionToken = "session_token"
    /// A session token of the other id.
    case newSessionToken = "new_session_token"
    case secretKey = "secret_key"
    /// Another id: the customer's named id.
    case namedID = "named_id"
  }

  package enum Decision: Hashable, Sendable {
    case allowed
    /// The anonymous customer joins the other customer, without its proven consent.
    case allowedUnproven
    /// The caller uses the other id from now on; nothing moves.
    case allowedSwitch
    /// The customer gets the receipts' entitlements; no customers are merged.
    case allowedEntitlements
    case forbidden(Need)
  }

  /// A row of the table: its decision applies if all conditions match the facts.
  package struct Rule: Sendable {
    package var operations: [Operation]
    package var callers: [Caller] = Caller.allCases
    package var customer: [IDKind] = IDKind.allCases
    /// Nil if it does not matter.
    package var isCustomerProven: Bool?
    package var other: [IDKind] = IDKind.allCases
    package var isOtherProven: Bool?
    package var logins: Logins?
    package var decision: Decision

    package func fits(_ operation: Operation, _ facts: Facts) -> Bool {
      operations.contains(operation) && callers.contains(facts.caller)
        && customer.contains(facts.customer.kind)
        && (isCustomerProven ?? facts.customer.isProven) == facts.customer.isProven
        && (facts.other.map { other.contains($0.kind) && (isOtherProven ?? $0.isProven) == $0.isProven } ?? true)
        && (logins ?? facts.logins) == facts.logins
    }
  }

  /// Returns the decision of the first row that fits.
  package static func decide(_ operation: Operation, _ facts: Facts) -> Decision {
    table.first { $0.fits(operation, facts) }?.decision ?? .forbidden(.secretKey)
  }
}

extension WalletRights {
  private static let anonymous: [IDKind] = [.newAnonymous, .anonymous]
  private static let named: [IDKind] = [.newNamed, .named, .formerAnonymous]
  private static let withoutSecret: [Caller] = [.publicKey, .token]

  /// All rules; the first row that fits decides.
  package static let table: [Rule] = [
    Rule(operations: Operation.allCases, callers: [.otherToken, .endedToken], decision: .forbidden(.sessionToken)),
    Rule(operations: [.createSessionToken], callers: withoutSecret, decision: .forbidden(.secretKey)),
    Rule(operations: [.createSessionToken], customer: [.formerAnonymous], decision: .forbidden(.namedID)),
    Rule(operations: [.spend], callers: [.publicKey, .secretKey], decision: .forbidden(.sessionToken)),
    Rule(operations: [.logIn], customer: named, decision: .allowedSwitch),
    Rule(operations: Operation.allCases, callers: [.secretKey], decision: .allowed),
    Rule(operations: [.read, .postReceipt, .openOrder, .useOrder], decision: .allowed),
    Rule(
      operations: [.openCostlyOrder, .listOrders], callers: [.publicKey], decision: .forbidden(.sessionToken)),
    Rule(operations: [.openCostlyOrder, .listOrders, .spend], decision: .allowed),
    Rule(operations: [.restore], decision: .allowedEntitlements),
    // The remaining rows join a customer and an id without a secret key: except for a login, each side with a named id
    // must be proven.
    Rule(
      operations: [.createAlias], customer: named, isCustomerProven: false, decision: .forbidden(.sessionToken)),
    Rule(operations: [.createAlias], customer: named, other: anonymous, decision: .allowed),
    Rule(operations: [.logIn, .createAlias], isOtherProven: true, decision: .allowed),
    Rule(
      operations: [.logIn, .createAlias], customer: anonymous, other: anonymous + [.newNamed, .named], logins: .open,
      decision: .allowedUnproven),
    Rule(operations: [.logIn, .createAlias], decision: .forbidden(.newSessionToken)),
  ]
}
