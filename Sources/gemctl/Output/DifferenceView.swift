import GemLedger
import LedgerCharts

/// The changes between two catalogs.
struct DifferenceView {
  private let groups: [(mark: String, entries: [CatalogDifference.Entry])]

  init(_ difference: CatalogDifference) {
    groups = [("+", difference.added), ("~", difference.changed), ("-", difference.removed)]
  }

  /// The changed objects in one line, such as `+ product gems_90, ~ currency GEM`.
  var summary: String {
    groups.flatMap { group in group.entries.map { "\(group.mark) \(Self.name(of: $0))" } }.joined(separator: ", ")
  }

  func text(style: Style) -> String {
    var text = ""
    for group in groups {
      for entry in group.entries {
        text += style.bold("  \(group.mark) \(Self.name(of: entry))") + "\n"
        for field in entry.fields { text += "      \(SafeText.escaped(field))\n" }
      }
    }
    return text.isEmpty ? "  nothing\n" : text
  }

  private static func name(of entry: CatalogDifference.Entry) -> String {
    SafeText.escaped(entry.id.isEmpty ? entry.part.description : "\(entry.part) \(entry.id)")
  }
}

/// What a change of the catalog concerns, in sentences.
enum ImpactView {
  static func text(_ impact: CatalogImpact) -> String {
    var lines = impact.balances.sorted { $0.key < $1.key }.map { "Customers with a balance in \($0): \($1)." }
    if impact.openOrders.value > 0 || !impact.openOrders.isComplete {
      lines.append("Open orders of changed products: \(impact.openOrders).")
    }
    if !impact.offerings.isEmpty {
      let names = impact.offerings.map { SafeText.escaped($0.text) }.joined(separator: ", ")
      lines.append("Offerings with changed products: \(names).")
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

/// Which products a store's list leaves out, at every store and storefront that the catalog sells at.
struct LeftOutView {
  private struct Row {
    let store: String
    let storefront: StorefrontCode
    let product: ProductCode
    let why: String
  }

  private let rows: [Row]

  init(catalog: Catalog) {
    let stores = Product.storeNames.filter { store in catalog.products.contains { $0.storeIDs[store] != nil } }
    let storefronts = Set(catalog.products.flatMap(\.prices.keys)).sorted()
    var rows: [Row] = []
    // A catalog without any store is checked as for the default store.
    for store in stores.isEmpty ? ["apple"] : stores {
      for storefront in storefronts.isEmpty ? [.unitedStates] : storefronts {
        rows += catalog.leftOut(at: store, storefront: storefront).map {
          Row(store: store, storefront: storefront, product: $0.product, why: $0.why)
        }
      }
    }
    self.rows = rows
  }

  var json: JSONValue {
    .array(rows) {
      [
        "store": .string($0.store), "storefront": .string($0.storefront.description),
        "product_id": .string($0.product.text), "why": .string($0.why),
      ]
    }
  }

  func text(style: Style) -> String {
    guard !rows.isEmpty else { return "Every store shows every product.\n" }
    let table = rows.table([
      .left("LEFT OUT", \.product.text), .left("STORE", \.store), .left("STOREFRONT", \.storefront.description),
      .text("WHY", \.why),
    ])
    return "\n" + table.text(style: style)
  }
}
