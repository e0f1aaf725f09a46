import GemLedger
import LedgerCharts
import StoreClient

/// `offerings`: the shop window.
struct OfferingsCommand {
  let invocation: Invocation

  func run() throws {
    let window = try self.window()
    let catalog = try invocation.withLedger { (ledger) throws(LedgerError) in try ledger.currentCatalog() }
    let offerings = Offerings(of: catalog, in: window)
    let shown = try self.shown(offerings)
    try invocation.print(json(shown, offerings), { text(shown, offerings, window, style: $0) })
  }

  private func window() throws -> ShopWindow {
    let parsed = invocation.parsed
    let state = try invocation.clientState()
    let store = parsed.value("--store").flatMap(Store.init(name:)) ?? state.store
    let locale = parsed.value("--locale") ?? state.locale
    guard Localization.isLocale(locale) else {
      throw invocation.usageError("--locale takes a locale such as en_US, not \(locale.quotedForPeople)")
    }
    guard let code = parsed.value("--storefront") else {
      return ShopWindow(store: store, storefront: state.storefront, locale: locale)
    }
    guard let storefront = StorefrontCode(exactly: code) else {
      throw invocation.usageError(
        "--storefront takes a country of the App Store in three capital letters, such as USA or JPN, not "
          + code.quotedForPeople)
    }
    return ShopWindow(store: store, storefront: storefront, locale: locale)
  }

  private func shown(_ offerings: Offerings) throws(LedgerError) -> [Offerings.Offering] {
    guard let text = invocation.parsed.positionals.first else { return offerings.ordered }
    let id = try OfferingID(text)
    guard let entry = offerings[id] else {
      let nearest = Suggestion.nearest(to: text, among: offerings.ordered.map(\.id.text))
      let hint = nearest.map { " Did you mean \"\($0)\"?" } ?? ""
      throw LedgerError(.offeringNotFound, "There is no offering \(text.quotedForPeople) in the catalog.\(hint)")
    }
    return [entry]
  }
}

// MARK: Answering

extension OfferingsCommand {
  private func json(_ shown: [Offerings.Offering], _ offerings: Offerings) -> JSONValue {
    [
      "current": JSONValue(offerings.current?.id.text),
      "offerings": .array(shown) {
        [
          "id": .string($0.id.text), "description": .string($0.serverDescription),
          "packages": .array($0.availablePackages.map(Self.json)),
        ]
      },
      "left_out": .array(offerings.leftOut) { ["product_id": .string($0.product.text), "why": .string($0.why)] },
    ]
  }

  private static func json(_ package: Offerings.Package) -> JSONValue {
    let product = package.storeProduct
    let grants = product.grants.map { ($0.currency.description, JSONValue.integer($0.amount + $0.bonus)) }
    var json: JSONObject = [
      "id": .string(package.identifier), "product_id": .string(product.code.text), "store_id": .string(product.storeID),
      "title": .string(product.localizedTitle), "description": .string(product.localizedDescription),
      "price": ["amount": .string(product.unitPrice.text), "currency": .string(product.unitPrice.currency.code)],
      "localized_price": .string(product.localizedPriceString), "grants": .object(JSONObject(grants)),
    ]
    if let discount = product.discountPrice {
      json["discount_price"] = ["amount": .string(discount.text), "currency": .string(discount.currency.code)]
      json["localized_discount_price"] = JSONValue(product.localizedDiscountPriceString)
    }
    return .object(json)
  }

  private func text(
    _ shown: [Offerings.Offering], _ offerings: Offerings, _ window: ShopWindow, style: Style
  ) -> String {
    guard !shown.isEmpty else { return "The catalog has no offerings.\n" }
    var sections = shown.map { entry in
      let mark = entry.id == offerings.current?.id ? " (current)" : ""
      let description = entry.serverDescription.isEmpty ? "" : ": \(SafeText.escaped(entry.serverDescription))"
      let table = entry.availablePackages.isEmpty ? "Nothing to buy.\n" : table(entry).text(style: style)
      return style.bold(SafeText.escaped(entry.id.text)) + mark + description + "\n" + table
    }
    if !offerings.leftOut.isEmpty {
      let lines = offerings.leftOut.map { "  \(SafeText.escaped($0.product.text)): \($0.why)\n" }
      sections.append("Left out at \(window.store) in \(window.storefront):\n" + lines.joined())
    }
    return sections.joined(separator: "\n")
  }

  private func table(_ entry: Offerings.Offering) -> Table {
    entry.availablePackages.table([
      .left("PACKAGE", \.identifier), .left("PRODUCT", \.storeProduct.code.text),
      .text("TITLE", \.storeProduct.localizedTitle),
      .right("PRICE") {
        let offer = $0.storeProduct.localizedDiscountPriceString.map { "\($0) instead of " } ?? ""
        return offer + $0.storeProduct.localizedPriceString
      },
      .text("GRANTS") { GrantText.text($0.storeProduct.grants, $0.storeProduct.itemGrants) },
    ])
  }
}
