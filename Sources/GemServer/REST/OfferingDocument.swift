#if Server
internal import GemLedger
internal import SystemHTTP

/// An offering in the form of RevenueCat's API, with its packages and their products.
struct OfferingDocument {
  /// A package with its position in the offering, from 1.
  typealias PlacedPackage = (position: Int, package: CatalogOffering.Package)

  private let offering: CatalogOffering
  private let catalog: ProjectCatalog
  private let projectID: String

  init(_ offering: CatalogOffering, _ catalog: ProjectCatalog, projectID: String) {
    self.offering = offering
    self.catalog = catalog
    self.projectID = projectID
  }

  var packages: [PlacedPackage] { offering.packages.enumerated().map { ($0.offset + 1, $0.element) } }

  var json: JSONValue {
    [
      "object": "offering", "id": .string(offering.id.text), "lookup_key": .string(offering.id.text),
      "display_name": .string(offering.description.isEmpty ? offering.id.text : offering.description),
      "is_current": .bool(catalog.catalog.currentOffering == offering.id), "project_id": .string(projectID),
      "created_at": .integer(createdAt), "state": "active", "metadata": .object(offering.metadata),
      "packages": list(packages.map(json), at: ["offerings", offering.id.text, "packages"]),
    ]
  }

  /// Returns the package's id with the offering's, since packages of two offerings may have the same name.
  func id(of package: PlacedPackage) -> String { Self.packageID(package.package.id, in: offering.id.text) }

  static func packageID(_ package: String, in offering: String) -> String { "\(offering):\(package)" }

  func json(_ package: PlacedPackage) -> JSONValue {
    let product = catalog.catalog.product(package.package.product)
    var products: [JSONValue] = []
    if let product {
      let document = ProductDocument(product, createdAt: catalog.projectCreatedAt)
      products.append(["product": document.json, "eligibility_criteria": "all"])
    }
    return [
      "object": "package", "id": .string(id(of: package)), "lookup_key": .string(package.package.id),
      "display_name": .string(package.package.title(with: product)),
      "position": .integer(Int64(package.position)), "created_at": .integer(createdAt),
      "products": list(products, at: ["packages", id(of: package), "products"]),
    ]
  }

  /// The project's time of creation: the catalog does not store when an offering was added.
  private var createdAt: Int64 { catalog.projectCreatedAt.milliseconds }

  private func list(_ items: [JSONValue], at place: [String]) -> JSONValue {
    let path = ["v2", "projects", projectID] + place
    return [
      "object": "list", "items": .array(items), "next_page": nil,
      "url": .string("/" + path.map(Percent.encoded).joined(separator: "/")),
    ]
  }

  // MARK: Forms

  static let attachedSchema = Schema.object([
    .always("product", ProductDocument.schema), .always("eligibility_criteria", .word(["all"])),
  ])

  static let packageSchema = RESTSchemas.object(
    "package",
    [
      Schema.Field("id", .text(), "Offering and package.", isRequired: true),
      Schema.Field("lookup_key", .text(), "The package's name in the catalog.", isRequired: true),
      Schema.Field("display_name", .text(), "The product's title.", isRequired: true),
      Schema.Field("position", .integer(), "From 1.", isRequired: true),
      Schema.Field("created_at", RESTSchemas.milliseconds, "The project's creation.", isRequired: true),
      .always("products", Schema.page(of: attachedSchema)),
    ])

  static let schema = RESTSchemas.object(
    "offering",
    [
      Schema.Field("id", .text(), "The offering's id in the catalog.", isRequired: true),
      Schema.Field("lookup_key", .text(), "The same.", isRequired: true),
      Schema.Field("display_name", .text(), "Its description, or else its id.", isRequired: true),
      Schema.Field("is_current", .boolean, "Whether it is the default offering.", isRequired: true),
      Schema.Field("project_id", .text(), isRequired: true),
      Schema.Field("created_at", RESTSchemas.milliseconds, "The project's creation.", isRequired: true),
      Schema.Field("state", .word(["active"]), isRequired: true),
      Schema.Field("metadata", .anything, "Custom data for the app.", isRequired: true),
      Schema.Field("packages", Schema.page(of: packageSchema), isRequired: true),
    ])
}
#endif
