import GemLedger
import LedgerCharts

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
    catalog.currencies.table([
      .left("CURRENCY", \.code.description), .left("NAME", \.name),
      .right("MAXIMUM") { $0.maximumBalance.map(AmountText.grouped) ?? "none" }, .text("DESCRIPTION", \.description),
    ])
  }

  private var products: Table {
    catalog.products.table([
      .left("PRODUCT", \.code.text),
      .left("TYPE") { $0.isActive ? $0.type.description : "\($0.type), not active" },
      .text("GRANTS") { GrantText.text($0.grants, $0.itemGrants) },
      .text("PRICES") { product in
        product.prices.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
      },
    ])
  }

  private var offerings: Table {
    catalog.offerings.table([
      .left("OFFERING") { $0.id.text + ($0.id == catalog.currentOffering ? " (current)" : "") },
      .text("PACKAGES") { $0.packages.map { "\($0.id): \($0.product)" }.joined(separator: ", ") },
      .text("DESCRIPTION", \.description),
    ])
  }

  private var items: Table {
    catalog.items.table([
      .left("ITEM", \.id.text), .left("NAME", \.name),
      .left("PRICE") { $0.price.map { "\(AmountText.grouped($0.amount)) \($0.currency)" }.joined(separator: ", ") },
      .right("LIMIT") { $0.limit.map(AmountText.grouped) ?? "none" },
    ])
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
