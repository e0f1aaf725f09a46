/// The amount of one currency that one unit of a product gives.
public struct Grant: Hashable, Sendable {
  /// The currency.
  public let currency: CurrencyCode
  /// The part that was paid for.
  public let amount: Int64
  /// The free part on top.
  public let bonus: Int64
  /// The amount that a free trial gives; nil if a trial gives the usual sum of amount and bonus.
  public let trial: Int64?
  /// Whether the rest expires when the subscription's cycle ends.
  public let expiresAtCycleEnd: Bool

  /// A grant of at least one unit, paid and bonus part together.
  public init(
    currency: CurrencyCode, amount: Int64, bonus: Int64 = 0, trial: Int64? = nil, expiresAtCycleEnd: Bool = false
  ) {
    self.currency = currency
    self.amount = amount
    self.bonus = bonus
    self.trial = trial
    self.expiresAtCycleEnd = expiresAtCycleEnd
  }
}

extension Grant {
  init?(reading field: CatalogField) {
    guard let fields = field.fields(["currency", "amount", "bonus", "trial", "expires_at_cycle_end"]) else {
      return nil
    }
    let currency = fields.required("currency") { try $0.currencyReference() }
    let amount = fields.required("amount") { try $0.integer(in: 0...Limits.amount) }
    let bonus = fields.optional("bonus", default: 0) { try $0.integer(in: 0...Limits.amount) }
    let trial = fields.optional("trial", default: nil) { try $0.integer(in: 1...Limits.amount) }
    let expires = fields.optional("expires_at_cycle_end", default: false) { try $0.bool() }
    guard let currency, let amount else { return nil }
    // Both are within the limit, so that their sum cannot overflow.
    guard (1...Limits.amount).contains(amount + bonus) else {
      field.context.add(field.path, "Amount and bonus together should be from 1 to \(Limits.amount).")
      return nil
    }
    self.init(currency: currency, amount: amount, bonus: bonus, trial: trial, expiresAtCycleEnd: expires)
  }

  func json() -> JSONValue {
    var members: JSONObject = [
      "currency": .string(currency.description), "amount": .integer(amount), "bonus": .integer(bonus),
      "expires_at_cycle_end": .bool(expiresAtCycleEnd),
    ]
    if let trial { members["trial"] = .integer(trial) }
    return .object(members)
  }
}

/// Items that one unit of a product gives.
public struct ItemGrant: Hashable, Sendable {
  /// The item.
  public let item: ItemID
  /// How many of it.
  public let quantity: Int64

  /// A grant of at least one item.
  public init(item: ItemID, quantity: Int64 = 1) {
    self.item = item
    self.quantity = quantity
  }
}

extension ItemGrant {
  init?(reading field: CatalogField) {
    guard let fields = field.fields(["item", "quantity"]) else { return nil }
    let item = fields.required("item", Self.reference)
    let quantity = fields.optional("quantity", default: 1) { try $0.integer(in: 1...Limits.quantity) }
    guard let item else { return nil }
    self.init(item: item, quantity: quantity)
  }

  private static func reference(_ field: CatalogField) throws(LedgerError) -> ItemID? {
    let item = try field.identifier(ItemID.self)
    field.context.refer(to: .item, item.text, at: field.path)
    return item
  }

  func json() -> JSONValue { ["item": .string(item.text), "quantity": .integer(quantity)] }
}
