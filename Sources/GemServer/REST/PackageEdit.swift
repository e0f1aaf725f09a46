#if Server
internal import GemLedger

/// Changes of the packages of offerings.
///
/// A package of the catalog has exactly one product, which all stores sell, and shows the product's title. So a new
/// package names its product, and attaching a product replaces the former one.
struct PackageEdit {
  /// The position of a package: the indices of the offering and of the package in it.
  typealias Place = (offering: Int, package: Int)

  private let call: Call

  init(_ call: Call) { self.call = call }

  /// - Throws: `LedgerError` with, in order of precedence, `offering_not_found`, `product_not_found`, `already_exists`,
  ///   `invalid_request` for another name or a position after the end, `invalid_catalog`.
  func create() throws(LedgerError) -> String {
    let (offering, id) = (call.name("offering_id"), call.text("lookup_key") ?? "")
    try call.editCatalog { (draft) throws(LedgerError) in
      let index = try OfferingEdit.index(of: offering, in: draft.offerings)
      let product = try product(call.text("product_id") ?? "", "product_id", in: draft)
      guard !draft.offerings[index].packages.contains(where: { $0.id.hasBytes(of: id) }) else {
        throw LedgerError(
          .alreadyExists, "The offering has a package \"\(id.prefix(100))\" already.",
          details: [.text("param", "lookup_key")])
      }
      let package = CatalogOffering.Package(id: id, product: product.code)
      try checkName(of: package, product)
      try insert(package, into: &draft.offerings[index].packages)
    }
    return OfferingDocument.packageID(id, in: offering)
  }

  /// Moves the package to the position in the body.
  ///
  /// - Throws: `LedgerError` with `offering_not_found`, `invalid_request` as ``create()``.
  func update() throws(LedgerError) -> String {
    try change { (place, draft) throws(LedgerError) in
      let package = draft.offerings[place.offering].packages[place.package]
      try checkName(of: package, draft.products.first { $0.code == package.product })
      guard call.body["position"]?.integer != nil else { return }
      draft.offerings[place.offering].packages.remove(at: place.package)
      try insert(package, into: &draft.offerings[place.offering].packages)
    }
  }

  /// - Throws: `LedgerError` with `offering_not_found`.
  func delete() throws(LedgerError) -> String {
    try change { (place, draft) in _ = draft.offerings[place.offering].packages.remove(at: place.package) }
  }

  /// Replaces the package's product.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_request` for several products,
  ///   `offering_not_found`, `product_not_found`.
  func attach() throws(LedgerError) -> String {
    let products = call.body["products"]?.array ?? []
    guard products.count == 1, let code = products.first?["product_id"]?.text else {
      throw .parameter("products", "has to have one product: a package has one product, which all stores sell")
    }
    return try change { (place, draft) throws(LedgerError) in
      let product = try product(code, "products", in: draft)
      let package = draft.offerings[place.offering].packages[place.package]
      draft.offerings[place.offering].packages[place.package] = .init(id: package.id, product: product.code)
    }
  }

  /// Refuses: a package without a product cannot be expressed.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `offering_not_found`, `product_not_found` for products that
  ///   the package does not have, `not_available`.
  func detach() throws(LedgerError) -> String {
    let codes = call.body["product_ids"]?.array?.compactMap(\.text) ?? []
    return try change { (place, draft) throws(LedgerError) in
      let product = draft.offerings[place.offering].packages[place.package].product
      if let other = codes.first(where: { !product.text.hasBytes(of: $0) }) {
        throw LedgerError(
          .productNotFound, "The package does not have the product \"\(other.prefix(100))\".",
          details: [.text("param", "product_ids")])
      }
      throw LedgerError(
        .notAvailable, "A package always has a product. Attach another product, or delete the package.",
        details: [.text("param", "product_ids")])
    }
  }

  private func change(
    _ change: (Place, inout CatalogDraft) throws(LedgerError) -> Void
  ) throws(LedgerError) -> String {
    let id = call.name("package_id")
    try call.editCatalog { (draft) throws(LedgerError) in
      try change(try Self.place(of: id, in: draft.offerings), &draft)
    }
    return id
  }

  /// Finds a package by its id in the API, which has the offering's id.
  ///
  /// - Throws: `LedgerError` with `offering_not_found`.
  static func place(of id: String, in offerings: [CatalogOffering]) throws(LedgerError) -> Place {
    for (index, offering) in offerings.enumerated() {
      let found = offering.packages.firstIndex { package in
        OfferingDocument.packageID(package.id, in: offering.id.text).hasBytes(of: id)
      }
      if let found { return (index, found) }
    }
    throw LedgerError(
      .offeringNotFound, "No offering has a package \"\(id.prefix(100))\"; ids are OFFERING:PACKAGE.",
      details: [.text("param", "package_id")])
  }

  private func product(
    _ code: String, _ parameter: String, in draft: CatalogDraft
  ) throws(LedgerError) -> Product {
    draft.products[try ProductEdit.index(of: code, in: draft.products, parameter)]
  }

  private func checkName(of package: CatalogOffering.Package, _ product: Product?) throws(LedgerError) {
    guard let name = call.text("display_name"), !name.hasBytes(of: package.title(with: product)) else { return }
    throw .parameter("display_name", "has to be the title of the package's product; change the product's display_name")
  }

  private func insert(
    _ package: CatalogOffering.Package, into packages: inout [CatalogOffering.Package]
  ) throws(LedgerError) {
    let position = call.body["position"]?.integer ?? Int64(packages.count + 1)
    guard position <= packages.count + 1 else {
      throw .parameter("position", "has to be 1 to \(packages.count + 1)")
    }
    packages.insert(package, at: Int(position) - 1)
  }
}

extension CatalogOffering.Package {
  /// The title that apps show: the product's.
  func title(with product: Product?) -> String { product?.localizations.first?.title ?? id }
}
#endif
