extension Catalog {
  /// Reads a catalog file.
  ///
  /// Unknown fields, missing ones, wrong types, duplicates and references to nothing are all reported at once.
  ///
  /// - Throws: ``CatalogProblems`` with all problems; with only the first fault if the text is not JSON.
  public static func load(_ bytes: [UInt8]) throws(CatalogProblems) -> Catalog {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue.parse(bytes)
    } catch {
      throw CatalogProblems([CatalogProblem(error)])
    }
    return try Catalog(json: json)
  }

  /// The catalog as a file: every field, in a fixed order; loading it gives the same catalog.
  public func text() -> String { json().text(.pretty) + "\n" }
}

extension Catalog: CatalogDocument {
  private static let fieldNames = [
    "currencies", "products", "offerings", "current_offering", "items", "settings",
  ]

  package init?(reading field: CatalogField) {
    guard let fields = field.fields(Self.fieldNames) else { return nil }
    let currencies = fields.required("currencies") { field in
      field.list(max: Limits.currenciesPerProject, Currency.init(reading:))
    }
    let products = fields.optional("products", default: []) { field in
      field.list(max: Limits.productsPerCatalog, Product.init(reading:))
    }
    let offerings = fields.optional("offerings", default: []) { field in
      field.list(max: Limits.productsPerCatalog, CatalogOffering.init(reading:))
    }
    let currentOffering = fields.optional("current_offering", Self.offeringReference)
    let items = fields.optional("items", default: []) { field in
      field.list(max: Limits.productsPerCatalog, Item.init(reading:))
    }
    let settings = fields.optional("settings", default: CatalogSettings(), CatalogSettings.init(reading:))
    field.context.resolveReferences()
    guard let currencies else { return nil }
    self.init(
      unchecked: currencies, products: products, offerings: offerings, currentOffering: currentOffering,
      items: items, settings: settings)
  }

  private static func offeringReference(_ field: CatalogField) throws(LedgerError) -> OfferingID? {
    let id = try field.identifier(OfferingID.self)
    field.context.refer(to: .offering, id.text, at: field.path)
    return id
  }

  /// The catalog as a value, every field in a fixed order.
  package func json() -> JSONValue {
    [
      "currencies": .array(currencies.map { $0.json() }), "products": .array(products.map { $0.json() }),
      "offerings": .array(offerings.map { $0.json() }), "current_offering": JSONValue(currentOffering?.text),
      "items": .array(items.map { $0.json() }), "settings": settings.json(),
    ]
  }
}
