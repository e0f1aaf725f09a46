/// One kind of command: the request, its needs, its rule and its booking.
///
/// Each kind has a file with all of this and with the public functions that make and book it. No requirement has a
/// default: a new kind must answer each question.
protocol Command: Sendable {
  /// Its case among all kinds.
  var action: LedgerCommand.Action { get }

  // MARK: Request

  /// The fields that a key conflict can name.
  static var keyFields: KeyFields { get }
  /// The digest of all fields that a key covers.
  var asked: Int64 { get }
  /// The customers that the caller names by their ids.
  var namedCustomers: NamedCustomers { get }

  // MARK: Needs

  /// The names that lead to its lanes, in addition to its customer's lane; nil if it uses only its customer's rows.
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint?
  /// The commands of one list that it may be booked concurrently with.
  var independence: Independence { get }

  // MARK: Rule

  /// Checks the request, applies the rule to the loaded rows, and books the result.
  ///
  /// - Parameter command: The customer, the key, the conditions and the note.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking
}

/// The customers that a caller names by their ids.
enum NamedCustomers: Sendable {
  /// A purchase, a transaction, a hold or an order identifies the customer.
  case none
  /// The command's customer.
  case own
  /// The command's customer and others.
  case ownAnd([CustomerID])
  /// The command's customer, to remove its ids: a customer named by a variable without a value can be removed.
  case ownToErase

  /// Whether a caller may not give one of the ids to a customer.
  @inline(__always)
  func haveUnusable(_ customer: CustomerID) -> Bool {
    switch self {
    case .none: false
    case .own: customer.isUnusable
    case .ownAnd(let others): customer.isUnusable || others.contains { $0.isUnusable }
    case .ownToErase: customer.isReserved
    }
  }

  func ids(_ customer: CustomerID) -> [CustomerID] {
    switch self {
    case .none: []
    case .own, .ownToErase: [customer]
    case .ownAnd(let others): [customer] + others
    }
  }
}

/// The commands of one list that a command may be booked concurrently with, instead of after them.
enum Independence: Sendable {
  /// Commands of other customers: the rows of one customer alone decide the result.
  case ofOtherCustomers
  /// Commands of other customers, except commands on the same store transaction.
  case ofOtherPurchases
  /// No commands.
  case none
}
