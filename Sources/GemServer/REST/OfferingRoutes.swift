#if Server
internal import GemLedger
internal import SystemHTTP

/// The offerings of a project with their packages; only the catalog's file changes them.
enum OfferingRoutes {
  static var all: [Route] { [list, get, packages] }

  private static let path = RESTRoutes.project + "/offerings"

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
    method: "GET", path: path + "/{offering_id}", name: "get_offering",
    summary: "One offering with its packages and products.", access: .secret(.offerings), query: [RESTSchemas.expand],
    answers: [200: OfferingDocument.schema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in .json(200, try offering(call).json) })

  private static let packages = Route(
    method: "GET", path: path + "/{offering_id}/packages", name: "list_packages",
    summary: "Lists the packages of an offering, in the order in which they are shown.", access: .secret(.offerings),
    query: Page.parameters + [RESTSchemas.expand],
    answers: [200: Schema.page(of: OfferingDocument.packageSchema)], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let offering = try offering(call)
      return try Page(of: offering.packages, call, cursor: offering.id(of:), item: offering.json).response(to: call)
    })

  private static func offering(_ call: Call) throws(LedgerError) -> OfferingDocument {
    let (catalog, id) = (try call.project.catalogs.current(), call.name("offering_id"))
    guard let offering = catalog.catalog.offerings.first(where: { $0.id.text.hasBytes(of: id) }) else {
      throw LedgerError(.offeringNotFound, "There is no offering \"\(id.prefix(100))\" in the catalog.")
    }
    return OfferingDocument(offering, catalog, projectID: call.project.id)
  }
}
#endif
