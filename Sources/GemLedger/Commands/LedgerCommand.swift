/// One request to the ledger: who it is about, what it asks, and under which key.
///
/// The methods of ``Ledger`` make commands and book them at once; make them yourself to submit many together with
/// ``Ledger/submit(_:)``.
public struct LedgerCommand: Sendable {
  /// The customer that the command acts on.
  public let customer: CustomerID
  /// The same key with the same request gives the same answer, however often it is sent.
  public var key: IdempotencyKey?
  /// What must hold for the command to be booked.
  public var conditions: [Condition] = []

  let action: Action
  /// What people say about it; few commands carry any of it.
  var note: Note?

  // What is rare lies apart, so that a command is small: many wait in memory at a time, and each is read once.
  enum Action: Sendable {
    /// One adjustment of an existing customer; what it grants is earned in production.
    case adjustOne(Adjustment)
    indirect case adjust(Adjust)
    indirect case buyItem(ItemID, quantity: Int64)
    indirect case creditPurchase(StorePurchase)
    case createCustomer
  }

  struct Adjust: Sendable {
    let adjustments: [Adjustment]
    let source: LotSource
    let environment: StoreEnvironment
    let expiresAt: Timestamp?
    let createsCustomer: Bool
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

  private init(customer: CustomerID, action: Action) {
    self.customer = customer
    self.action = action
  }

  /// Changes balances by signed amounts, all or none.
  ///
  /// - Parameters:
  ///   - adjustments: 1 to 100, each currency once.
  ///   - customer: Must exist.
  ///   - source: What kind of lots the positive parts make.
  ///   - environment: Which world those lots belong to.
  public static func adjust(
    _ adjustments: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, source: LotSource = .earned,
    environment: StoreEnvironment = .production
  ) -> Self {
    let action: Action =
      if let only = adjustments.first, adjustments.count == 1, source == .earned, environment == .production {
        .adjustOne(only)
      } else {
        .adjust(
          Adjust(
            adjustments: adjustments, source: source, environment: environment, expiresAt: nil, createsCustomer: false))
      }
    var command = Self(customer: customer, action: action)
    command.key = key
    return command
  }

  /// Gives currency; makes the customer if need be.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Need not exist.
  ///   - source: What kind of lots it makes; not `paid`, which only a purchase makes.
  ///   - environment: Which world those lots belong to.
  ///   - expiresAt: From when the currency is worth nothing; nil for never.
  public static func grant(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, source: LotSource = .admin,
    environment: StoreEnvironment = .production, expiresAt: Timestamp? = nil
  ) -> Self {
    let adjust = Adjust(
      adjustments: amounts, source: source, environment: environment, expiresAt: expiresAt, createsCustomer: true)
    var command = Self(customer: customer, action: .adjust(adjust))
    command.key = key
    return command
  }

  /// Sells items at the catalog's price.
  public static func buyItem(
    _ item: ItemID, quantity: Int64 = 1, customer: CustomerID, key: IdempotencyKey? = nil
  ) -> Self {
    var command = Self(customer: customer, action: .buyItem(item, quantity: quantity))
    command.key = key
    return command
  }

  /// Credits what a store transaction paid for, once, whoever asks and however often.
  public static func creditPurchase(
    _ purchase: StorePurchase, customer: CustomerID, key: IdempotencyKey? = nil
  ) -> Self {
    var command = Self(customer: customer, action: .creditPurchase(purchase))
    command.key = key
    return command
  }

  /// Makes the customer, or does nothing where there is one.
  public static func createCustomer(_ customer: CustomerID) -> Self {
    Self(customer: customer, action: .createCustomer)
  }
}

extension LedgerCommand {
  /// The caller's own name for what this is about.
  public var reference: Reference? {
    get { note?.reference }
    set { note = Note(reference: newValue, reason: reason, actor: actor) }
  }

  /// Why a person asked.
  public var reason: Reason? {
    get { note?.reason }
    set { note = Note(reference: reference, reason: newValue, actor: actor) }
  }

  /// Who asked.
  public var actor: ActorName? {
    get { note?.actor }
    set { note = Note(reference: reference, reason: reason, actor: newValue) }
  }
}
