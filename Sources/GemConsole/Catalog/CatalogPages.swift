#if Server
internal import GemLedger
internal import GemServer

/// The catalog as tables, its document, and the history of its versions.
enum CatalogPages {
  static let routes: [ConsoleRoute] = [
    .get("catalog", nil) { (visit) throws(LedgerError) in .page(try page(visit)) },
    .get("catalog/versions", .catalog) { (visit) throws(LedgerError) in .page(try versions(visit)) },
    .get("catalog/file", .catalog) { (visit) throws(LedgerError) in
      .file(
        name: "catalog.json", type: "application/json", Array(try visit.ledger.currentCatalog().text().utf8))
    },
  ]

  private static func page(_ visit: Visit) throws(LedgerError) -> ConsolePage {
    let (version, catalog) = try visit.ledger.catalogEditor.current()
    let session = visit.session
    if !session.allows(oneOf: PageFrame.catalogScopes) { try session.check(.products) }
    let note = visit.query["note"]?.hasPrefix("version-") ?? false
    let documents = [
      (Scope.offerings.writing, "Current offering", "current"), (.catalog.writing, "Whole document", "document"),
      (.catalog, "Download", "file"), (.catalog, "Versions", "versions"),
    ]
    let actions = HTML.element(
      .div, [],
      CatalogKind.all.filter { $0.mayChange(session) }.map {
        .button("Add \($0.noun)", to: ConsolePath("catalog", $0.list, "new"))
      } + documents.filter { session.allows($0.0) }.map { .button($0.1, to: ConsolePath("catalog", $0.2)) }
    ).classed("actions")
    let tables = CatalogTables(catalog: catalog, reader: visit.reader, session: session)
    return ConsolePage(
      "Catalog", note ? .message("good", .p("The catalog has version \(version) now.")) : .none,
      .p("Version \(version)"), actions, tables.section("Currencies", .currency, tables.currencies),
      tables.section("Products", .product, tables.products), tables.section("Offerings", .offering, tables.offerings),
      tables.section("Items", .item, tables.items))
  }

  private static func versions(_ visit: Visit) throws(LedgerError) -> ConsolePage {
    let size = 50
    let versions = try visit.ledger.catalogEditor.versions(
      below: visit.query["after"].flatMap { Int64($0) }, limit: size)
    let table = DataTable(
      "Versions, newest first", ["Version", "Applied", "Actor", "Reason", "#Changes", "What changed"],
      versions.map { version in
        [
          .text("\(version.version)"), visit.reader.time(version.appliedAt),
          version.actor.map { .foreign($0.text) } ?? "–", version.reason.map { .foreign($0.text, limit: 120) } ?? "–",
          version.changeCount.map(visit.reader.amount) ?? "–",
          version.changes.map { CatalogChangeView($0).html } ?? "not recorded",
        ]
      })
    let next = versions.count == size ? versions.last.map { "\($0.version)" } : nil
    return ConsolePage(
      "Versions of the catalog", table.html(none: "The catalog was never changed."), visit.nextPage(next))
  }
}

/// The parts of a catalog as tables.
private struct CatalogTables {
  let catalog: Catalog
  let reader: Reader
  let session: ConsoleSession

  /// The objects of a kind, if the session may see them.
  func section(_ title: String, _ kind: CatalogKind, _ table: HTML) -> HTML {
    session.allows(kind.readingScope) ? .section(title, table) : .none
  }

  private func links(_ kind: CatalogKind, _ id: String) -> HTML {
    guard kind.mayChange(session) else { return .none }
    let edit = HTML.link("Change", to: ConsolePath("catalog", kind.list, id, "edit"))
    guard kind.isRemovable else { return edit }
    return .group([edit, " ", .link("Remove", to: ConsolePath("catalog", kind.list, id, "remove"))])
  }

  private func state(_ isActive: Bool) -> HTML { isActive ? .badge("active", "good") : .badge("inactive", "warning") }

  var currencies: HTML {
    DataTable(
      "Currencies", ["Code", "Name", "Maximum", "State", "Do"],
      catalog.currencies.map { currency in
        [
          .text(currency.code.description), .foreign(currency.name),
          currency.maximumBalance.map(reader.amount) ?? "none", state(currency.isActive),
          links(.currency, currency.code.description),
        ]
      }
    ).html(none: "No currency yet. Add one, such as GEM.")
  }

  var products: HTML {
    DataTable(
      "Products", ["Code", "Type", "Gives", "Ids at stores", "Price in the USA", "State", "Do"],
      catalog.products.map { product in
        [
          .foreign(product.code.text), .text("\(product.type)"),
          .group([
            reader.amounts(product.grants.map { ($0.currency, $0.amount + $0.bonus) }),
            .list(product.itemGrants.map { .group([reader.amount($0.quantity), " ", .foreign($0.item.text)]) }),
          ]),
          .list(
            product.storeIDs.sorted { $0.key < $1.key }.map { .group([.text("\($0.key): "), .foreign($0.value)]) }),
          StorefrontCode(exactly: "USA").flatMap { product.prices[$0] }.map { .text("\($0)") } ?? "–",
          state(product.isActive),
          links(.product, product.code.text),
        ]
      }
    ).html(none: "No product yet.")
  }

  var offerings: HTML {
    DataTable(
      "Offerings", ["Id", "Description", "Packages", "State", "Do"],
      catalog.offerings.map { offering in
        [
          .foreign(offering.id.text), .foreign(offering.description),
          .list(offering.packages.map { .group([.foreign($0.id), " = ", .foreign($0.product.text)]) }),
          catalog.currentOffering == offering.id ? .badge("current", "good") : .none,
          links(.offering, offering.id.text),
        ]
      }
    ).html(none: "No offering yet.")
  }

  var items: HTML {
    DataTable(
      "Items", ["Id", "Name", "Price", "Limit", "Do"],
      catalog.items.map { item in
        [
          .foreign(item.id.text), .foreign(item.name),
          reader.amounts(item.price.map { ($0.currency, $0.amount) }), item.limit.map(reader.amount) ?? "none",
          links(.item, item.id.text),
        ]
      }
    ).html(none: "No item yet.")
  }
}
#endif
