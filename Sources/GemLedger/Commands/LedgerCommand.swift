/// One request to the ledger: who it is about, what it asks, and under which key.
///
/// The methods of ``Ledger`` make commands and book them at once; make them yourself to submit many together with
/// ``Ledger/submit(_:)``.
public struct LedgerCommand: Sendable {
  /// The customer that the command acts on.
  public let customer: CustomerID
  /// The same key with the same request gives the same answer, however often it is sent.
  public var key: IdempotencyKey?
  /// The caller's own name for what this is about.
  public var reference: Reference?
  /// Why a person asked.
  public var reason: Reason?
  /// Who asked.
  public var actor: ActorName?
  /// What must hold for the command to be booked.
  public var conditions: [Condition] = []

  let action: Action

  enum Action: Sendable {
    case adjust(Adjust)
    case buyItem(ItemID, quantity: Int64)
    // Kept apart, so that the common commands stay small.
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
    let adjust = Adjust(
      adjustments: adjustments, source: source, environment: environment, expiresAt: nil, createsCustomer: false)
    var command = Self(customer: customer, action: .adjust(adjust))
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
