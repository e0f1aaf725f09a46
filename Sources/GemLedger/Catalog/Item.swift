/// A thing sold for virtual currency at a price that only the server sets, or given by a grant.
public struct Item: Hashable, Sendable {
  /// The item's name for programs.
  public let id: ItemID
  /// The item's name for people.
  public let name: String
  /// The price of one unit, in the order of currency codes; empty only if it is not for sale.
  public let price: [CurrencyAmount]
  /// The largest count that one customer may reach by purchases, or nil if there is no such limit.
  ///
  /// With a ``limitPeriod``, the most that one customer may buy in a period.
  public let limit: Int64?
  /// The period in which ``limit`` counts a customer's purchases; nil if it counts the owned items.
  public let limitPeriod: Period?
  /// How many are sold in all, to all customers together; nil for no limit.
  public let stock: Int64?
  /// When it can be bought.
  public let availability: Availability

  /// An item as the catalog describes it; making the catalog checks it.
  public init(
    id: ItemID, name: String, price: [CurrencyAmount], limit: Int64? = nil, limitPeriod: Period? = nil,
    stock: Int64? = nil, availability: Availability = .always
  ) {
    self.id = id
    self.name = name
    self.price = price.sorted { $0.currency < $1.currency }
    self.limit = limit
    self.limitPeriod = limitPeriod
    self.stock = stock
    self.availability = availability
  }
}

extension Item: CatalogDocument {
  private static let fieldNames = ["id", "name", "price", "limit", "limit_per", "stock", "available"]

  package init?(reading field: CatalogField) {
    guard let fields = field.fields(Self.fieldNames) else { return nil }
    let id = fields.required("id", Self.declaredID)
    let name = fields.required("name") { try $0.caption() }
    let price = fields.required("price", Self.checkedPrice)
    let limit = fields.optional("limit") { try $0.integer(in: 1...Limits.amount) }
    let limitPeriod = fields.optional("limit_per") { try $0.option(Period.self) }
    let stock = fields.optional("stock") { try $0.integer(in: 1...Limits.amount) }
    let availability = fields.optional("available", default: .always, Availability.init(reading:))
    guard let id, let name, let price else { return nil }
    if price.isEmpty, availability.isEverForSale, fields["price"].value?.object?.isEmpty == true {
      field.context.add(
        fields.path / "price", "An item for sale needs a price; one that only grants give has \"available\": false.")
    }
    if limitPeriod != nil, limit == nil, fields["limit"].optional == nil {
      field.context.add(fields.path / "limit_per", "There is no limit of which this could be the period.")
    }
    self.init(
      id: id, name: name, price: price, limit: limit, limitPeriod: limitPeriod, stock: stock,
      availability: availability)
  }

  private static func declaredID(_ field: CatalogField) throws(LedgerError) -> ItemID? {
    let id = try field.identifier(ItemID.self)
    field.context.declare(.item, id.text, at: field.path)
    return id
  }

  private static func checkedPrice(_ field: CatalogField) -> [CurrencyAmount]? {
    let price = field.members { code, amount -> CurrencyAmount? in
      let code = try CatalogField(.string(code), at: amount.path, amount.context).currencyReference()
      return CurrencyAmount(currency: code, amount: try amount.integer(in: 1...Limits.amount))
    }
    guard let price, price.count > Limits.adjustmentsPerRequest else { return price }
    return field.refuse("The price names more than \(Limits.adjustmentsPerRequest) currencies.")
  }

  package func json() -> JSONValue {
    [
      "id": .string(id.text), "name": .string(name),
      "price": .object(JSONObject(price.map { ($0.currency.description, .integer($0.amount)) })),
      "limit": JSONValue(limit), "limit_per": JSONValue(limitPeriod?.description), "stock": JSONValue(stock),
      "available": availability.json(),
    ]
  }
}
