/// One request to the ledger: the customer, the action, and the idempotency key.
///
/// The methods of ``Ledger`` make commands and book them at once; make them yourself to submit many together with
/// ``Ledger/submit(_:)``.
public struct LedgerCommand: Sendable {
  /// The command's content.
  ///
  /// Copies of the command share it until one of them changes.
  private(set) var body: Body

  final class Body: Sendable {
    let customer: CustomerID
    let key: IdempotencyKey?
    let conditions: [Condition]
    let action: Action
    let note: Note?
    /// Computed with the command: the caller spends the time for hashes and fingerprint, not the lane.
    let customerHash: Int
    let keyHash: Int
    let fingerprint: Fingerprint
    /// Whether the ledger itself found the customer's id, so that it may be of the ledger's own kinds.
    let isNamedByLedger: Bool
    /// Whether a caller names a customer by an id that only the ledger makes.
    let namesReserved: Bool

    init(
      customer: CustomerID, key: IdempotencyKey?, conditions: [Condition] = [], action: Action, note: Note? = nil,
      isNamedByLedger: Bool = false
    ) {
      self.customer = customer
      self.key = key
      self.conditions = conditions
      self.action = action
      self.note = note
      customerHash = ByteHash.of(customer.text)
      keyHash = key.map { ByteHash.of($0.text) } ?? 0
      fingerprint = Fingerprint(of: action, conditions: conditions, reference: note?.reference)
      self.isNamedByLedger = isNamedByLedger
      namesReserved = !isNamedByLedger && action.namesReserved(customer)
    }

    /// The same request with another key, conditions or note; the digest of the action is not computed again.
    init(_ other: Body, key: IdempotencyKey?, conditions: [Condition], note: Note?) {
      customer = other.customer
      self.key = key
      self.conditions = conditions
      action = other.action
      self.note = note
      customerHash = other.customerHash
      keyHash = key == other.key ? other.keyHash : key.map { ByteHash.of($0.text) } ?? 0
      fingerprint = other.fingerprint.qualified(by: conditions, reference: note?.reference)
      isNamedByLedger = other.isNamedByLedger
      namesReserved = other.namesReserved
    }
  }

  // Larger actions are boxed, so that a command is small: many wait in memory at a time, and each is read once.
  enum Action: Sendable {
    /// One adjustment of an existing customer; its grants are earned in production.
    case adjustOne(Adjustment)
    indirect case adjust(Adjust)
    indirect case buyItem(ItemID, quantity: Int64)
    /// A purchase of an item with a stock, which a storage with lanes must know beforehand.
    indirect case buyStocked(ItemID, quantity: Int64)
    indirect case creditPurchase(StorePurchase)
    case createCustomer
    indirect case openOrder(OrderOpening)
    indirect case completeOrder(OrderCompletion)
    indirect case advanceOrder(PurchaseCode, OrderStep)
    indirect case registerToken(TokenNumber)
    indirect case holdEntitlement(Store, StoreEnvironment, StoreTransactionID)
    indirect case refund(StoreRefund)
    indirect case reverseRefund(StoreRefundReversal)
    indirect case merge(CustomerID)
    /// A merge from a customer with only anonymous ids.
    indirect case mergeAnonymous(CustomerID)
    indirect case createAlias(CustomerID)
    /// The survivor that the caller expects, if any.
    indirect case unmerge(from: CustomerID?)
    case freeze
    case unfreeze
    indirect case reverse(TransactionID, [Adjustment]?)
    indirect case hold([Adjustment], milliseconds: Int64)
    indirect case capture(Capture)
    indirect case extendHold(HoldID, milliseconds: Int64)
    indirect case release(HoldID)
    indirect case basket([BasketLeg])
    indirect case exchange(Exchange)
    case bookDue
    case erase
  }

  struct Adjust: Sendable {
    let adjustments: [Adjustment]
    let source: LotSource
    let environment: StoreEnvironment
    let expiresAt: Timestamp?
    let createsCustomer: Bool
    /// Whether it is the account's opening balance.
    var isOpening = false
  }

  final class Note: Sendable {
    let reference: Reference?
    let reason: Reason?
    let actor: ActorName?

    /// Nil where there is nothing to say.
    init?(reference: Reference?, reason: Reason?, actor: ActorName?) {
      guard reference != nil || reason != nil || actor != nil else { return nil }
      self.reference = reference
      self.reason = reason
      self.actor = actor
    }
  }

  init(
    customer: CustomerID, key: IdempotencyKey?, details: CommandDetails = CommandDetails(), action: Action
  ) {
    let note = Note(reference: details.reference, reason: details.reason, actor: details.actor)
    body = Body(customer: customer, key: key, conditions: details.conditions, action: action, note: note)
  }

  /// Changes balances by signed amounts, all or none.
  ///
  /// - Parameters:
  ///   - adjustments: 1 to 100, each currency once.
  ///   - customer: Must exist.
  ///   - key: Send the same one with every retry.
  ///   - source: The kind of lots that the positive parts make.
  ///   - environment: The environment of those lots.
  ///   - details: Conditions, reference, reason and actor.
  public static func adjust(
    _ adjustments: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, source: LotSource = .earned,
    environment: StoreEnvironment = .production, details: CommandDetails = CommandDetails()
  ) -> Self {
    let action: Action =
      if let only = adjustments.first, adjustments.count == 1, source == .earned, environment == .production {
        .adjustOne(only)
      } else {
        .adjust(
          Adjust(
            adjustments: adjustments, source: source, environment: environment, expiresAt: nil, createsCustomer: false))
      }
    return Self(customer: customer, key: key, details: details, action: action)
  }

  /// Grants currency; makes the customer if need be.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Need not exist.
  ///   - key: Send the same one with every retry.
  ///   - source: The kind of lots that it makes; not `paid`, which only a purchase makes.
  ///   - environment: The environment of those lots.
  ///   - expiresAt: The instant from which the currency is worth nothing; nil for never.
  ///   - details: Conditions, reference, reason and actor.
  public static func grant(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, source: LotSource = .admin,
    environment: StoreEnvironment = .production, expiresAt: Timestamp? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    let adjust = Adjust(
      adjustments: amounts, source: source, environment: environment, expiresAt: expiresAt, createsCustomer: true)
    return Self(customer: customer, key: key, details: details, action: .adjust(adjust))
  }

  /// Credits the opening balance of an account, such as a balance of another system; makes the customer if need be.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Need not exist.
  ///   - key: Send the same one with every retry; an import derives it from its line.
  ///   - source: The kind of lots that it makes; not `paid`, which only a purchase makes.
  ///   - environment: The environment of those lots.
  ///   - expiresAt: The instant from which the currency is worth nothing; nil for never.
  ///   - details: Conditions, reference, reason and actor.
  public static func openingBalance(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, source: LotSource = .admin,
    environment: StoreEnvironment = .production, expiresAt: Timestamp? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    let adjust = Adjust(
      adjustments: amounts, source: source, environment: environment, expiresAt: expiresAt, createsCustomer: true,
      isOpening: true)
    return Self(customer: customer, key: key, details: details, action: .adjust(adjust))
  }

  /// Sells items at the catalog's price.
  public static func buyItem(
    _ item: ItemID, quantity: Int64 = 1, customer: CustomerID, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    return Self(customer: customer, key: key, details: details, action: .buyItem(item, quantity: quantity))
  }

  /// Credits the grant of a store transaction idempotently, for any caller and any number of calls.
  public static func creditPurchase(
    _ purchase: StorePurchase, customer: CustomerID, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    return Self(customer: customer, key: key, details: details, action: .creditPurchase(purchase))
  }

  /// Makes the customer, or does nothing where the customer exists.
  public static func createCustomer(_ customer: CustomerID) -> Self {
    Self(customer: customer, key: nil, action: .createCustomer)
  }
}

extension LedgerCommand {
  /// The customer that the command acts on.
  public var customer: CustomerID { body.customer }

  /// The same key with the same request gives the same answer, however often it is sent.
  public var key: IdempotencyKey? {
    get { body.key }
    set { change(key: newValue, conditions: conditions, note: body.note) }
  }

  /// The conditions for booking the command.
  public var conditions: [Condition] {
    get { body.conditions }
    set { change(key: key, conditions: newValue, note: body.note) }
  }

  /// The caller's own name for the subject of the command.
  public var reference: Reference? {
    get { body.note?.reference }
    set { change(key: key, conditions: conditions, note: Note(reference: newValue, reason: reason, actor: actor)) }
  }

  /// The reason that a person gave.
  public var reason: Reason? {
    get { body.note?.reason }
    set { change(key: key, conditions: conditions, note: Note(reference: reference, reason: newValue, actor: actor)) }
  }

  /// The person, service or key that sent the command.
  public var actor: ActorName? {
    get { body.note?.actor }
    set { change(key: key, conditions: conditions, note: Note(reference: reference, reason: reason, actor: newValue)) }
  }

  func withAction(_ action: Action) -> Self {
    var command = self
    command.body = Body(
      customer: customer, key: key, conditions: conditions, action: action, note: body.note,
      isNamedByLedger: body.isNamedByLedger)
    return command
  }

  /// Returns the same command for a customer id that the ledger itself found.
  ///
  /// A paid purchase is credited to an erased customer too, where the store transaction names that customer.
  package func namedByLedger() -> Self {
    var command = self
    command.body = Body(
      customer: customer, key: key, conditions: conditions, action: body.action, note: body.note, isNamedByLedger: true)
    return command
  }

  /// The same command, for an item with or without a stock.
  var withAnyStock: Self {
    guard case .buyItem(let item, let quantity) = body.action else { return self }
    return withAction(.buyStocked(item, quantity: quantity))
  }

  private mutating func change(key: IdempotencyKey?, conditions: [Condition], note: Note?) {
    body = Body(body, key: key, conditions: conditions, note: note)
  }
}
