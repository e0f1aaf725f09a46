#if Server
internal import GemLedger
internal import SystemHTTP

/// The packages of offerings, one by one; the scope is that of offerings.
enum PackageRoutes {
  static var all: [Route] { [create, get, update, delete, products, attach, detach] }

  private static let path = RESTRoutes.project + "/packages/{package_id}"

  private static let create = Route.edit(
    OfferingRoutes.onePath + "/packages", name: "create_package", summary: "Adds a package with its product.",
    scope: .offerings,
    body: .object([
      .always("lookup_key", RESTSchemas.identifier(255), "The package's name in the offering."),
      .always("product_id", RESTSchemas.identifier(255), "The product; RevenueCat's API attaches it later."), nameField,
      positionField,
    ]), answer: OfferingDocument.packageSchema, status: 201
  ) { (call) throws(LedgerError) in try answer(PackageEdit(call).create(), call, status: 201) }

  private static let get = Route(
    method: "GET", path: path, name: "get_package", summary: "One package with its product.",
    access: .secret(.offerings), query: [RESTSchemas.expand], answers: [200: OfferingDocument.packageSchema],
    rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in try answer(call.name("package_id"), call) })

  private static let update = edit(
    "", name: "update_package", summary: "Moves a package in its offering.", body: .object([nameField, positionField])
  ) { (edit) throws(LedgerError) in try edit.update() }

  private static let delete = Route.edit(
    path, method: "DELETE", name: "delete_package", summary: "Deletes a package.", scope: .offerings,
    answer: RESTSchemas.deleted("package")
  ) { (call) throws(LedgerError) in call.deleted("package", try PackageEdit(call).delete()) }

  private static let products = Route(
    method: "GET", path: path + "/products", name: "list_package_products", summary: "Lists a package's product.",
    access: .secret(.offerings), query: Page.parameters,
    answers: [200: Schema.page(of: OfferingDocument.attachedSchema)], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let items = try json(call.name("package_id"), call)["products"]?["items"]?.array ?? []
      return try Page(of: items, call, cursor: { $0["product"]?["id"]?.text ?? "" }, item: { $0 }).response(to: call)
    })

  private static let attach = edit(
    "/actions/attach_products", name: "attach_package_products", summary: "Replaces a package's product.",
    body: .object([
      .always(
        "products",
        .list(
          .object([
            .always("product_id", RESTSchemas.identifier(255)), .always("eligibility_criteria", .word(["all"])),
          ]), 1...100), "One product.")
    ])
  ) { (edit) throws(LedgerError) in try edit.attach() }

  private static let detach = edit(
    "/actions/detach_products", name: "detach_package_products",
    summary: "Refused: a package always has a product. Attach another, or delete the package.",
    body: .object([.always("product_ids", .list(RESTSchemas.identifier(255), 1...100))])
  ) { (edit) throws(LedgerError) in try edit.detach() }

  private static func edit(
    _ ending: String, name: String, summary: String, body: Schema,
    _ change: @escaping @Sendable (PackageEdit) throws(LedgerError) -> String
  ) -> Route {
    Route.edit(
      path + ending, name: name, summary: summary, scope: .offerings, body: body,
      answer: OfferingDocument.packageSchema
    ) { (call) throws(LedgerError) in try answer(change(PackageEdit(call)), call) }
  }

  private static func answer(_ id: String, _ call: Call, status: Int = 200) throws(LedgerError) -> HTTPResponse {
    .json(status, try json(id, call))
  }

  private static func json(_ id: String, _ call: Call) throws(LedgerError) -> JSONValue {
    let catalog = try call.project.catalogs.current()
    let place = try PackageEdit.place(of: id, in: catalog.catalog.offerings)
    let offering = OfferingDocument(catalog.catalog.offerings[place.offering], catalog, projectID: call.project.id)
    return offering.json(offering.packages[place.package])
  }

  private static let nameField = Schema.Field.displayName("The product's title; another name is refused.")
  private static let positionField = Schema.Field(
    "position", .nullable(.integer(1...Int64(Limits.productsPerCatalog))), "The place in the offering, from 1.")
}
#endif
