extension Currency: CatalogDocument {
  private static let fieldNames = [
    "code", "name", "description", "icon", "maximum_balance", "burn_order", "refund_policy", "initial_balance",
    "recharge", "allowance", "limits", "active",
  ]

  package init?(reading field: CatalogField) {
    guard let fields = field.fields(Self.fieldNames) else { return nil }
    let code = fields.required("code", Self.declaredCode)
    let name = fields.required("name", Self.checkedName)
    let description = fields.optional("description") { try $0.shortText() }
    let icon = fields.optional("icon") { try $0.shortText() }
    let maximumBalance = fields.optional("maximum_balance") { try $0.integer(in: 1...Limits.amount) }
    let burnOrder = fields.optional("burn_order", default: .freeFirst) { try $0.option(BurnOrder.self) }
    let refundPolicy = fields.optional("refund_policy", default: .floor) { try $0.option(RefundPolicy.self) }
    let initialBalance = fields.optional("initial_balance") { try $0.integer(in: 1...Limits.amount) }
    let recharge = fields.optional("recharge", Recharge.init(reading:))
    let allowance = fields.optional("allowance", Allowance.init(reading:))
    let limits = fields.optional("limits", Self.limits)
    let isActive = fields.optional("active", default: true) { try $0.bool() }
    guard let code, let name else { return nil }
    self.init(
      code: code, name: name, description: description, icon: icon, maximumBalance: maximumBalance,
      burnOrder: burnOrder, refundPolicy: refundPolicy, initialBalance: initialBalance, recharge: recharge,
      allowance: allowance, spendLimit: limits?.spend, grantLimit: limits?.grant, isActive: isActive)
    checkMaximum(fields)
  }

  package func json() -> JSONValue {
    var document: JSONObject = [
      "code": .string(code.description), "name": .string(name), "description": JSONValue(description),
      "icon": JSONValue(icon), "maximum_balance": JSONValue(maximumBalance),
      "burn_order": .string(burnOrder.description), "refund_policy": .string(refundPolicy.description),
      "initial_balance": JSONValue(initialBalance), "recharge": recharge?.json() ?? .null,
      "allowance": allowance?.json() ?? .null, "limits": limitsJSON(),
    ]
    // Documents that were stored before there were inactive currencies stay as they are, byte by byte.
    if !isActive { document["active"] = false }
    return .object(document)
  }

  private func limitsJSON() -> JSONValue {
    guard spendLimit != nil || grantLimit != nil else { return .null }
    return ["spend": spendLimit?.json() ?? .null, "grant": grantLimit?.json() ?? .null]
  }
}

// The fields, one by one.
extension Currency {
  private static func declaredCode(_ field: CatalogField) throws(LedgerError) -> CurrencyCode? {
    let code = try field.currency()
    field.context.declare(.currency, code.description, at: field.path)
    return code
  }

  private static func checkedName(_ field: CatalogField) throws(LedgerError) -> String? {
    let name = try field.caption()
    guard name.count <= Limits.currencyNameLength else {
      return field.refuse("The name has \(name.count) characters; the most is \(Limits.currencyNameLength).")
    }
    return name
  }

  private static func limits(_ field: CatalogField) -> (spend: WindowLimit?, grant: WindowLimit?)? {
    guard let fields = field.fields(["spend", "grant"]) else { return nil }
    guard fields["spend"].optional != nil || fields["grant"].optional != nil else {
      return field.refuse("This limits nothing: name \"spend\", \"grant\" or both, or leave it out.")
    }
    return (
      fields.optional("spend", WindowLimit.init(reading:)), fields.optional("grant", WindowLimit.init(reading:))
    )
  }
}

// Checks across several fields.
extension Currency {
  /// No scheduled grant may need more room than a balance has.
  private func checkMaximum(_ fields: CatalogField) {
    let maximum = maximumBalance ?? Limits.amount
    func check(_ amount: Int64?, _ what: String, at path: JSONPath) {
      guard let amount, amount > maximum else { return }
      fields.context.add(path, "\(what) \(amount), above the most that a balance may be, \(maximum).")
    }
    check(initialBalance, "This is", at: fields.path / "initial_balance")
    check(recharge?.upTo, "This is", at: fields.path / "recharge" / "up_to")
    // Both are within the limit, so that their sum cannot overflow.
    check(
      allowance.map { $0.amount + $0.rollover }, "Amount and rollover together are", at: fields.path / "allowance")
  }
}
