#if Server
internal import GemLedger
internal import SystemHTTP

/// The offerings of a project with their packages.
enum OfferingRoutes {
  static var all: [Route] { [list, create, get, update, delete, packages] }

  private static let path = RESTRoutes.project + "/offerings"
  static let onePath = path + "/{offering_id}"

  private static let list = Route(
    method: "GET", path: path, name: "list_offerings",
    summary: "Lists the offerings with their packages and products, in the catalog's order.",
    access: .secret(.offerings), query: Page.parameters + [RESTSchemas.expand],
    answers: [200: Schema.page(of: OfferingDocument.schema)], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let catalog = try call.project.catalogs.current()
      return try Page(of: catalog.catalog.offerings, call, cursor: \.id.text) {
        OfferingDocument($0, catalog, projectID: call.project.id).json
      }.response(to: call)
    })

  private static let get = Route(
    method: "GET", path: onePath, name: "get_offering",
    summary: "One offering with its packages and products.", access: .secret(.offerings), query: [RESTSchemas.expand],
    answers: [200: OfferingDocument.schema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in try answer(call.name("offering_id"), call) })

  private static let create = Route.edit(
    path, name: "create_offering", summary: "Adds an offering without packages.", scope: .offerings,
    body: .object([
      .always("lookup_key", RESTSchemas.identifier(255), "The offering's id."),
      .displayName("The description.", isRequired: true), metadataField,
    ]), answer: OfferingDocument.schema, status: 201
  ) { (call) throws(LedgerError) in try answer(OfferingEdit(call).create(), call, status: 201) }

  private static let update = Route.edit(
    onePath, name: "update_offering", summary: "Changes the members that the body has.", scope: .offerings,
    body: .object([
      .displayName("The description."), metadataField,
      Schema.Field("is_current", .boolean, "Whether apps show the offering; false leaves no offering current."),
    ]), answer: OfferingDocument.schema
  ) { (call) throws(LedgerError) in try answer(OfferingEdit(call).update(), call) }

  private static let delete = Route.edit(
    onePath, method: "DELETE", name: "delete_offering",
    summary: "Deletes an offering with its packages; the current offering is refused.", scope: .offerings,
    answer: RESTSchemas.deleted("offering")
  ) { (call) throws(LedgerError) in call.deleted("offering", try OfferingEdit(call).delete()) }

  private static let metadataField = Schema.Field(
    "metadata", .nullable(.map(.anything)), "Data for the app; null removes it.")

  private static let packages = Route(
    method: "GET", path: onePath + "/packages", name: "list_packages",
    summary: "Lists the packages of an offering, in the order in which they are shown.", access: .secret(.offerings),
    query: Page.parameters + [RESTSchemas.expand],
    answers: [200: Schema.page(of: OfferingDocument.packageSchema)], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let offering = try document(call.name("offering_id"), call)
      return try Page(of: offering.packages, call, cursor: offering.id(of:), item: offering.json).response(to: call)
    })

  private static func answer(_ id: String, _ call: Call, status: Int = 200) throws(LedgerError) -> HTTPResponse {
    .json(status, try document(id, call).json)
  }

  private static func document(_ id: String, _ call: Call) throws(LedgerError) -> OfferingDocument {
    let catalog = try call.project.catalogs.current()
    let offerings = catalog.catalog.offerings
    return OfferingDocument(
      offerings[try OfferingEdit.index(of: id, in: offerings)], catalog, projectID: call.project.id)
  }
}
#endif
