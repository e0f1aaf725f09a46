import GemLedger

/// How much there is in a catalog.
struct CatalogCounts {
  private let counts: [(name: String, one: String, count: Int)]

  init(_ catalog: Catalog) {
    counts = [
      ("currencies", "currency", catalog.currencies.count), ("products", "product", catalog.products.count),
      ("offerings", "offering", catalog.offerings.count), ("items", "item", catalog.items.count),
    ]
  }

  var json: JSONObject { JSONObject(counts.map { ($0.name, .integer(Int64($0.count))) }) }

  /// `1 currency, 3 products, 1 offering and 2 items`.
  var text: String {
    let parts = counts.map { "\(AmountText.grouped(Int64($0.count))) \($0.count == 1 ? $0.one : $0.name)" }
    return "\(parts.dropLast().joined(separator: ", ")) and \(parts[parts.count - 1])"
  }
}

/// A catalog in tables.
struct CatalogView {
  let catalog: Catalog

  func text(style: Style) -> String {
    var sections = [currencies.text(style: style)]
    if !catalog.products.isEmpty { sections.append(products.text(style: style)) }
    if !catalog.offerings.isEmpty { sections.append(offerings.text(style: style)) }
    if !catalog.items.isEmpty { sections.append(items.text(style: style)) }
    return sections.joined(separator: "\n")
  }

  private var currencies: Table {
    var table = Table([.left("CURRENCY"), .left("NAME"), .right("MAXIMUM"), .text("DESCRIPTION")])
    for currency in catalog.currencies {
      table.add([
        currency.code.description, currency.name, currency.maximumBalance.map(AmountText.grouped) ?? "none",
        currency.description ?? "",
      ])
    }
    return table
  }

  private var products: Table {
    var table = Table([.left("PRODUCT"), .left("TYPE"), .text("GRANTS"), .text("PRICES")])
    for product in catalog.products {
      let prices = product.prices.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      let grants = GrantText.text(product.grants, product.itemGrants)
      let type = product.isActive ? product.type.description : "\(product.type), not active"
      table.add([product.code.text, type, grants, prices.joined(separator: ", ")])
    }
    return table
  }

  private var offerings: Table {
    var table = Table([.left("OFFERING"), .text("PACKAGES"), .text("DESCRIPTION")])
    for offering in catalog.offerings {
      let mark = offering.id == catalog.currentOffering ? " (current)" : ""
      let packages = offering.packages.map { "\($0.id): \($0.product)" }
      table.add([offering.id.text + mark, packages.joined(separator: ", "), offering.description])
    }
    return table
  }

  private var items: Table {
    var table = Table([.left("ITEM"), .left("NAME"), .left("PRICE"), .right("LIMIT")])
    for item in catalog.items {
      let price = item.price.map { "\(AmountText.grouped($0.amount)) \($0.currency)" }
      table.add([
        item.id.text, item.name, price.joined(separator: ", "), item.limit.map(AmountText.grouped) ?? "none",
      ])
    }
    return table
  }
}

/// Returns the grant of one unit of a product, such as `1,200 GEM + 100 GEM bonus`.
enum GrantText {
  static func text(_ grants: [Grant], _ items: [ItemGrant]) -> String {
    var parts: [String] = []
    for grant in grants {
      if grant.amount > 0 { parts.append("\(AmountText.grouped(grant.amount)) \(grant.currency)") }
      if grant.bonus > 0 { parts.append("\(AmountText.grouped(grant.bonus)) \(grant.currency) bonus") }
    }
    parts += items.map { "\(AmountText.grouped($0.quantity)) \($0.item)" }
    return parts.isEmpty ? "nothing" : parts.joined(separator: " + ")
  }
}
