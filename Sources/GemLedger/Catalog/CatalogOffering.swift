/// A list of packages for the shop window, in its order.
public struct CatalogOffering: Hashable, Sendable {
  /// One position in the window.
  public struct Package: Hashable, Sendable {
    /// The position's name, the same for any product in it.
    public let id: String
    /// The product.
    public let product: ProductCode

    /// Makes a package from a position and its product.
    public init(id: String, product: ProductCode) {
      self.id = id
      self.product = product
    }
  }

  /// The offering's name.
  public let id: OfferingID
  /// A sentence about it, for the operators of the shop.
  public package(set) var description: String
  /// The packages, in the order in which they are shown.
  public package(set) var packages: [Package]
  /// Data of the app about it; the ledger does not read it.
  package var metadata: JSONObject

  /// An offering without metadata.
  public init(id: OfferingID, description: String = "", packages: [Package] = []) {
    self.init(id: id, description: description, metadata: JSONObject(), packages: packages)
  }

  package init(id: OfferingID, description: String, metadata: JSONObject, packages: [Package]) {
    self.id = id
    self.description = description
    self.metadata = metadata
    self.packages = packages
  }

  /// The metadata as a JSON object.
  public var metadataJSON: String { JSONValue.object(metadata).text() }
}

extension CatalogOffering: CatalogDocument {
  package init?(reading field: CatalogField) {
    guard let fields = field.fields(["id", "description", "metadata", "packages"]) else { return nil }
    let id = fields.required("id", Self.declaredID)
    let description = fields.optional("description", default: "") { try $0.shortText() }
    let metadata = fields.optional("metadata", default: JSONObject(), Self.checkedMetadata)
    let packages = fields.optional("packages", default: []) { field in
      field.list(max: Limits.productsPerCatalog, uniqueBy: \.id, Package.init(reading:))
    }
    guard let id else { return nil }
    self.init(id: id, description: description, metadata: metadata, packages: packages)
  }

  private static func declaredID(_ field: CatalogField) throws(LedgerError) -> OfferingID? {
    let id = try field.identifier(OfferingID.self)
    field.context.declare(.offering, id.text, at: field.path)
    return id
  }

  private static func checkedMetadata(_ field: CatalogField) throws(LedgerError) -> JSONObject? {
    guard let metadata = try field.object().value?.object else { return nil }
    let count = JSONValue.object(metadata).text().utf8.count
    guard count <= Limits.metadataBytes else {
      return field.refuse("The metadata has \(count) bytes; the most is \(Limits.metadataBytes).")
    }
    return metadata
  }

  package func json() -> JSONValue {
    [
      "id": .string(id.text), "description": .string(description), "metadata": .object(metadata),
      "packages": .array(packages.map { $0.json() }),
    ]
  }
}

extension CatalogOffering.Package {
  init?(reading field: CatalogField) {
    guard let fields = field.fields(["id", "product"]) else { return nil }
    let id = fields.required("id") { try $0.name() }
    let product = fields.required("product", Self.reference)
    guard let id, let product else { return nil }
    self.init(id: id, product: product)
  }

  private static func reference(_ field: CatalogField) throws(LedgerError) -> ProductCode? {
    let product = try field.identifier(ProductCode.self)
    field.context.refer(to: .product, product.text, at: field.path)
    return product
  }

  func json() -> JSONValue { ["id": .string(id), "product": .string(product.text)] }
}
