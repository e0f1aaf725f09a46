#if Server
internal import GemLedger

/// Changes of the catalog's products.
///
/// RevenueCat has a product per app. Here the store's id is the product's code, and the same id at a second store adds
/// that store to the product.
struct ProductEdit {
  private let call: Call

  init(_ call: Call) { self.call = call }

  /// Adds a product, or a store to a product of the same type.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_identifier`, `already_exists`, `invalid_catalog`.
  func create() throws(LedgerError) -> String {
    let id = call.text("store_identifier") ?? ""
    let (code, store) = (try ProductCode(id), call.text("app_id") ?? "")
    let type = Self.type(call.text("type") ?? "")
    try call.editCatalog { (draft) throws(LedgerError) in
      let index = draft.products.firstIndex { $0.code == code } ?? draft.products.endIndex
      if index == draft.products.endIndex { draft.products.append(Product(code: code, type: type)) }
      guard draft.products[index].type == type, draft.products[index].storeIDs[store] == nil else {
        throw LedgerError(
          .alreadyExists,
          "There is a product \"\(id.prefix(100))\" already, of the type \(draft.products[index].type).",
          details: [.text("param", "store_identifier")])
      }
      draft.products[index].storeIDs[store] = id
      if let period = call.body["subscription"]?["duration"]?.text { draft.products[index].period = period }
      if let title = call.text("display_name") { draft.products[index].rename(title) }
    }
    return id
  }

  /// Changes the title in the catalog's first language.
  ///
  /// - Throws: `LedgerError` with `product_not_found`, `invalid_catalog`.
  func update() throws(LedgerError) -> String {
    try change { (product) in product.rename(call.text("display_name") ?? "") }
  }

  /// Takes the product off sale, or puts it on sale.
  ///
  /// - Throws: `LedgerError` with `product_not_found`.
  func setActive(_ isActive: Bool) throws(LedgerError) -> String {
    try change { (product) in product.isActive = isActive }
  }

  /// - Throws: `LedgerError` with `product_not_found`, `not_available` if a package has the product.
  func delete() throws(LedgerError) -> String {
    let id = call.name("product_id")
    try call.editCatalog { (draft) throws(LedgerError) in
      let index = try Self.index(of: id, in: draft.products)
      let code = draft.products[index].code
      if let offering = draft.offerings.first(where: { $0.packages.contains { $0.product == code } }) {
        throw LedgerError(
          .notAvailable,
          "The offering \"\(offering.id)\" has a package with the product. Delete the package, or archive the product.",
          details: [.text("param", "product_id"), .text("offering", offering.id.text)])
      }
      draft.products.remove(at: index)
    }
    return id
  }

  private func change(_ change: (inout Product) -> Void) throws(LedgerError) -> String {
    let id = call.name("product_id")
    try call.editCatalog { (draft) throws(LedgerError) in
      change(&draft.products[try Self.index(of: id, in: draft.products)])
    }
    return id
  }

  /// - Throws: `LedgerError` with `product_not_found`.
  static func index(
    of code: String, in products: [Product], _ parameter: String = "product_id"
  ) throws(LedgerError) -> Int {
    guard let index = products.firstIndex(where: { $0.code.text.hasBytes(of: code) }) else {
      throw LedgerError(
        .productNotFound, "There is no product \"\(code.prefix(100))\" in the catalog.",
        details: [.text("param", parameter)])
    }
    return index
  }

  private static func type(_ name: String) -> ProductType {
    ProductType.Kind.allCases.map(ProductType.init).first { $0.nameInREST == name } ?? .consumable
  }
}

extension Product {
  /// Replaces the title in the first language; a product without texts gets one in English.
  fileprivate mutating func rename(_ title: String) {
    let first = localizations.first ?? Localization(locale: "en_US", title: title)
    let renamed = Localization(locale: first.locale, title: title, description: first.description)
    localizations.replaceSubrange(..<min(1, localizations.count), with: [renamed])
  }
}
#endif
