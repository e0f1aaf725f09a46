/// A virtual currency: its name, its bounds and its policies.
public struct Currency: Hashable, Sendable {
  /// The code, such as `GEM`.
  public let code: CurrencyCode
  /// What people call it, 1 to 50 characters.
  public let name: String
  /// More about it.
  public let description: String?
  /// Where its picture is: a URL or a name of the app's own.
  public let icon: String?
  /// The most that one customer may have, or nil where only the hard limit holds.
  public let maximumBalance: Int64?
  /// Which lots a spend takes first.
  public let burnOrder: BurnOrder
  /// What happens when a refunded purchase has been spent already.
  public let refundPolicy: RefundPolicy

  /// A currency as the catalog describes it; making the catalog checks it.
  public init(
    code: CurrencyCode, name: String, description: String? = nil, icon: String? = nil, maximumBalance: Int64? = nil,
    burnOrder: BurnOrder = .freeFirst, refundPolicy: RefundPolicy = .floor
  ) {
    self.code = code
    self.name = name
    self.description = description
    self.icon = icon
    self.maximumBalance = maximumBalance
    self.burnOrder = burnOrder
    self.refundPolicy = refundPolicy
  }
}

extension Currency: CatalogDocument {
  private static let fieldNames = [
    "code", "name", "description", "icon", "maximum_balance", "burn_order", "refund_policy",
  ]

  package init?(reading field: CatalogField) {
    guard let fields = field.fields(Self.fieldNames) else { return nil }
    let code = fields.required("code", Self.declaredCode)
    let name = fields.required("name", Self.checkedName)
    let description = fields.optional("description") { $0.text() }
    let icon = fields.optional("icon") { $0.text() }
    let maximumBalance = fields.optional("maximum_balance") { $0.integer(in: 1...Limits.amount) }
    let burnOrder = fields.optional("burn_order", default: .freeFirst) { $0.word(BurnOrder.self) }
    let refundPolicy = fields.optional("refund_policy", default: .floor) { $0.word(RefundPolicy.self) }
    guard let code, let name else { return nil }
    self.init(
      code: code, name: name, description: description, icon: icon, maximumBalance: maximumBalance,
      burnOrder: burnOrder, refundPolicy: refundPolicy)
  }

  private static func declaredCode(_ field: CatalogField) -> CurrencyCode? {
    guard let code = field.currencyCode() else { return nil }
    field.check.declare(.currency, code.description, at: field.path)
    return code
  }

  private static func checkedName(_ field: CatalogField) -> String? {
    guard let name = field.caption() else { return nil }
    guard name.count <= Limits.currencyNameLength else {
      return field.refuse("The name has \(name.count) characters; the most is \(Limits.currencyNameLength).")
    }
    return name
  }

  package func json() -> JSONValue {
    [
      "code": .string(code.description), "name": .string(name), "description": JSONValue(description),
      "icon": JSONValue(icon), "maximum_balance": JSONValue(maximumBalance),
      "burn_order": .string(burnOrder.description), "refund_policy": .string(refundPolicy.description),
    ]
  }
}
