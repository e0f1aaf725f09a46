#if Server
internal import GemLedger

/// The grants of one currency by products, in RevenueCat's form: products with equal grants are one element.
struct ProductGrants {
  private struct Element {
    var products: [ProductCode]
    let amount: Int64
    let expires: Bool
  }

  private let elements: [Element]

  /// Collects the grants of a catalog's products.
  init(of code: CurrencyCode, in catalog: Catalog) {
    var elements: [Element] = []
    for product in catalog.products {
      guard let grant = product.grants.first(where: { $0.currency == code }) else { continue }
      let (amount, expires) = (grant.amount + grant.bonus, grant.expiresAtCycleEnd)
      if let index = elements.firstIndex(where: { $0.amount == amount && $0.expires == expires }) {
        elements[index].products.append(product.code)
      } else {
        elements.append(Element(products: [product.code], amount: amount, expires: expires))
      }
    }
    self.elements = elements
  }

  /// Reads the member `product_grants` of a checked body; null is an empty list.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`.
  init(_ value: JSONValue) throws(LedgerError) {
    var elements: [Element] = []
    for element in value.array ?? [] {
      var products: [ProductCode] = []
      for id in element["product_ids"]?.array ?? [] { products.append(try ProductCode(id.text ?? "")) }
      elements.append(
        Element(
          products: products, amount: element["amount"]?.integer ?? 0,
          expires: element["expire_at_cycle_end"]?.bool ?? false))
    }
    self.elements = elements
  }

  /// Returns the products with these grants of the currency instead of their previous grants.
  ///
  /// A product with an unchanged total keeps its bonus part.
  ///
  /// - Throws: `LedgerError` with `product_not_found`, `invalid_request` for a product in two elements.
  func applied(to products: [Product], of code: CurrencyCode) throws(LedgerError) -> [Product] {
    let wanted = try elementsByProduct(products)
    return products.map { product in
      var product = product
      let index = product.grants.firstIndex { $0.currency == code }
      guard let element = wanted[product.code] else {
        if let index { product.grants.remove(at: index) }
        return product
      }
      let grant = Self.grant(element, of: code, replacing: index.map { product.grants[$0] })
      if let index { product.grants[index] = grant } else { product.grants.append(grant) }
      return product
    }
  }

  private func elementsByProduct(_ products: [Product]) throws(LedgerError) -> [ProductCode: Element] {
    let known = Set(products.map(\.code))
    var wanted: [ProductCode: Element] = [:]
    for element in elements {
      for code in element.products {
        guard known.contains(code) else {
          throw LedgerError(
            .productNotFound, "There is no product \"\(code.text.prefix(100))\" in the catalog.",
            details: [.text("param", Self.member)])
        }
        guard wanted.updateValue(element, forKey: code) == nil else {
          throw .parameter(Self.member, "names the product \"\(code.text.prefix(100))\" twice")
        }
      }
    }
    return wanted
  }

  private static func grant(_ element: Element, of code: CurrencyCode, replacing old: Grant?) -> Grant {
    guard let old, old.amount + old.bonus == element.amount else {
      return Grant(currency: code, amount: element.amount, expiresAtCycleEnd: element.expires)
    }
    return Grant(currency: code, amount: old.amount, bonus: old.bonus, expiresAtCycleEnd: element.expires)
  }

  static let member = "product_grants"
}

extension ProductGrants {
  static let requestSchema = Schema.nullable(
    .list(
      .object([
        Schema.Field(
          "product_ids", .list(RESTSchemas.identifier(255), 1...10_000), "Codes of products in the catalog.",
          isRequired: true),
        Schema.Field("amount", .integer(1...Limits.amount), "The amount that one unit grants.", isRequired: true),
        Schema.Field("trial_amount", .nullable(.integer(0...0)), "Nothing: trials give no currency here."),
        Schema.Field("expire_at_cycle_end", .nullable(.boolean), "For subscriptions with a period; false by default."),
      ])))

  static let kind = JSONKind<ProductGrants>(.list(form.schema)) { .array($0.elements.map(form.json)) }

  private static let form = JSONForm<Element>([
    .object("virtual_currency.product_grant"),
    .always("product_ids", \.products, .list(.anyIdentifier()), "Codes of products in the catalog."),
    .always("amount", \.amount, .integer(), "The amount that one unit grants, including the bonus."),
    .always("trial_amount", { _ in 0 }, .integer()), .always("expire_at_cycle_end", \.expires, .boolean),
  ])
}
#endif
