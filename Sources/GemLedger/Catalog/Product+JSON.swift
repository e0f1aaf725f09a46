extension Product: CatalogDocument {
  private static let fieldNames = [
    "code", "store_ids", "type", "active", "localizations", "prices", "discount_prices", "grants", "item_grants",
    "entitlement", "period",
  ]

  package init?(reading field: CatalogField) {
    guard let fields = field.fields(Self.fieldNames) else { return nil }
    let code = fields.required("code", Self.declaredCode)
    let storeIDs = fields.optional("store_ids", default: [:], Self.storeIDs)
    let type = fields.required("type") { try $0.option(ProductType.self) }
    let isActive = fields.optional("active", default: true) { try $0.bool() }
    let localizations = fields.optional("localizations", default: [], Self.localizations)
    let prices = fields.optional("prices", default: [:], Self.prices)
    let discountPrices = fields.optional("discount_prices", default: [:], Self.prices)
    let grants = fields.optional("grants", default: [], Self.grants)
    let itemGrants = fields.optional("item_grants", default: [], Self.itemGrants)
    let entitlement = fields.optional("entitlement") { try $0.name() }
    let period = fields.optional("period") { try $0.period() }
    guard let code, let type else { return nil }
    self.init(
      code: code, storeIDs: storeIDs, type: type, isActive: isActive, localizations: localizations, prices: prices,
      discountPrices: discountPrices, grants: grants, itemGrants: itemGrants, entitlement: entitlement, period: period)
    checkCycle(fields)
    checkDiscounts(fields)
  }

  package func json() -> JSONValue {
    [
      "code": .string(code.text), "store_ids": Self.json(storeIDs.map { ($0, $1) }),
      "type": .string(type.description), "active": .bool(isActive),
      "localizations": .array(localizations.map { $0.json() }), "prices": Self.json(prices),
      "discount_prices": Self.json(discountPrices), "grants": .array(grants.map { $0.json() }),
      "item_grants": .array(itemGrants.map { $0.json() }), "entitlement": JSONValue(entitlement),
      "period": JSONValue(period),
    ]
  }

  private static func json(_ prices: [StorefrontCode: Price]) -> JSONValue {
    json(prices.map { ($0.description, $1.text) })
  }

  private static func json(_ texts: [(String, String)]) -> JSONValue {
    .object(JSONObject(texts.sorted { $0.0 < $1.0 }.map { ($0, .string($1)) }))
  }
}

// The fields, one by one.
extension Product {
  private static func declaredCode(_ field: CatalogField) throws(LedgerError) -> ProductCode? {
    let code = try field.identifier(ProductCode.self)
    field.context.declare(.product, code.text, at: field.path)
    return code
  }

  private static func storeIDs(_ field: CatalogField) -> [String: String]? {
    let ids = field.members { store, id -> (String, String)? in
      guard storeNames.contains(store) else {
        return id.refuse("There is no such store; the stores are \(storeNames.joined(separator: ", ")).")
      }
      let text = try id.name()
      // With one id for two products at one store, the grant of a purchase would be ambiguous.
      id.context.declare(.storeID, "\(store): \(text)", at: id.path)
      return (store, text)
    }
    return ids.map { Dictionary($0) { first, _ in first } }
  }

  private static func localizations(_ field: CatalogField) -> [Localization]? {
    field.list(max: Limits.entriesPerProduct, uniqueBy: \.locale, Localization.init(reading:))
  }

  private static func prices(_ field: CatalogField) -> [StorefrontCode: Price]? {
    let prices = field.members { code, price -> (StorefrontCode, Price)? in
      guard let storefront = StorefrontCode(exactly: code) else {
        return price.refuse("There is no such storefront; codes are like USA, JPN, VNM.")
      }
      return (storefront, try price.price(in: storefront.currency))
    }
    return prices.map { Dictionary($0) { first, _ in first } }
  }

  private static func grants(_ field: CatalogField) -> [Grant]? {
    field.list(max: Limits.entriesPerProduct, uniqueBy: \.currency.description, Grant.init(reading:))
  }

  private static func itemGrants(_ field: CatalogField) -> [ItemGrant]? {
    field.list(max: Limits.entriesPerProduct, uniqueBy: \.item.text, ItemGrant.init(reading:))
  }

  /// Whether the text is `P` and then numbers of years, months, weeks and days, each at most once, in this order.
  static func isPeriod(_ text: String) -> Bool {
    var bytes = Array(text.utf8)[...]
    guard bytes.popFirst() == UInt8(ascii: "P"), !bytes.isEmpty else { return false }
    for unit in "YMWD".utf8 {
      let digits = bytes.prefix(while: ASCII.isDigit)
      guard bytes.dropFirst(digits.count).first == unit else { continue }
      guard (1...3).contains(digits.count), digits.first != ASCII.zero else { return false }
      bytes = bytes.dropFirst(digits.count + 1)
    }
    return bytes.isEmpty
  }
}

// Checks across several fields.
extension Product {
  private func checkCycle(_ fields: CatalogField) {
    if !type.isSubscription, period != nil {
      fields.context.add(fields.path / "period", "Only a subscription has a period; this is \(type).")
    }
    guard grants.contains(where: \.expiresAtCycleEnd) else { return }
    let path = fields.path / "grants"
    switch type.kind {
    case .consumable:
      fields.context.add(
        path, "A grant of a consumable may not expire (expires_at_cycle_end; App Review Guideline 3.1.1).")
    case .nonConsumable:
      fields.context.add(path, "Only a grant of a subscription can expire at the end of a cycle.")
    case .autoRenewableSubscription, .nonRenewingSubscription:
      guard period == nil else { return }
      fields.context.add(path, "A grant that expires at the end of the cycle needs the product's period.")
    }
  }

  private func checkDiscounts(_ fields: CatalogField) {
    for (storefront, discount) in discountPrices.sorted(by: { $0.key < $1.key }) {
      let path = fields.path / "discount_prices" / storefront.description
      guard let price = prices[storefront] else {
        fields.context.add(path, "There is no price in this storefront to discount.")
        continue
      }
      guard discount.minorUnits > price.minorUnits else { continue }
      fields.context.add(path, "The discount price \(discount) is above the price \(price).")
    }
  }
}

extension CatalogField {
  package func price(in currency: PriceCurrency) throws(LedgerError) -> Price {
    guard let text = value?.text else { throw refused(expected: "a price as a text, such as \"9.99\"") }
    do throws(LedgerError) {
      return try Price(text, in: currency)
    } catch {
      throw context.error(error, at: path)
    }
  }

  package func period() throws(LedgerError) -> String {
    let period = try shortText()
    guard Product.isPeriod(period) else {
      throw refused("\"\(period.abridged)\" is not a period in ISO 8601, such as \"P1M\".")
    }
    return period
  }
}
