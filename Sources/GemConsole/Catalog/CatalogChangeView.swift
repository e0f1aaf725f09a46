#if Server
internal import GemLedger

/// The difference between two versions of the catalog, and what it concerns.
struct CatalogChangeView {
  private let difference: CatalogDifference
  private let impact: CatalogImpact?

  init(_ difference: CatalogDifference, _ impact: CatalogImpact? = nil) {
    self.difference = difference
    self.impact = impact
  }

  var html: HTML {
    let rows =
      [("added", difference.added), ("changed", difference.changed), ("removed", difference.removed)]
      .flatMap { name, entries in
        entries.map { entry -> [HTML] in
          [
            .text("\(entry.part)"), .foreign(entry.id), .text(name),
            .list(entry.fields.map { .foreign($0, limit: 300) }),
          ]
        }
      }
    let table = DataTable("Changes", ["What", "Id", "Change", "Fields"], rows)
    return .group([table.html(none: "Nothing changes."), impact.map(concerns) ?? .none])
  }

  private func concerns(_ impact: CatalogImpact) -> HTML {
    let balances = impact.balances.sorted { $0.key < $1.key }.map { code, count in
      HTML.text("\(code): \(count) customers with a balance")
    }
    return .section(
      "What it concerns",
      .facts([
        ("Balances", balances.isEmpty ? nil : .list(balances)),
        ("Open orders of these products", .text("\(impact.openOrders)")),
        (
          "Offerings with these products",
          impact.offerings.isEmpty ? "none" : .list(impact.offerings.map { .foreign($0.text) })
        ),
      ]))
  }
}
#endif
