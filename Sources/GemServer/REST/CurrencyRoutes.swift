#if Server
internal import GemLedger
internal import SystemHTTP

/// The currencies of a project.
enum CurrencyRoutes {
  static var all: [Route] { [list, create, get, update, delete, archive, unarchive] }

  private static let path = RESTRoutes.project + "/virtual_currencies"
  private static let onePath = path + "/{virtual_currency_code}"

  private static let list = Route(
    method: "GET", path: path, name: "list_virtual_currencies", summary: "Lists the currencies, archived ones too.",
    access: .secret(.currencies), query: Page.parameters, answers: [200: Schema.page(of: CurrencyDocument.schema)],
    rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let catalog = try call.project.catalogs.current()
      return try Page(of: catalog.catalog.currencies, call, cursor: \.code.description) {
        CurrencyDocument(currency: $0, catalog: catalog, projectID: call.project.id).json
      }.response(to: call)
    })

  private static let create = Route.edit(
    path, name: "create_virtual_currency", summary: "Adds a currency; its code never changes.", scope: .currencies,
    body: .object([codeField, nameField(isRequired: true)] + optionalFields), answer: CurrencyDocument.schema,
    status: 201
  ) { (call) throws(LedgerError) in try answer(CurrencyEdit(call).create(), call, status: 201) }

  private static let get = Route(
    method: "GET", path: onePath, name: "get_virtual_currency", summary: "One currency.",
    access: .secret(.currencies), answers: [200: CurrencyDocument.schema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in try answer(CurrencyEdit.code(in: call), call) })

  private static let update = edit(
    "", name: "update_virtual_currency",
    summary: "Changes the members that the body has; a list of grants replaces all grants, and null takes them away.",
    body: .object([nameField(isRequired: false)] + optionalFields)
  ) { (edit) throws(LedgerError) in try edit.update() }

  private static let archive = edit(
    "/actions/archive", name: "archive_virtual_currency",
    summary: "Archives a currency: its transactions are refused, and paid purchases are still credited."
  ) { (edit) throws(LedgerError) in try edit.setActive(false) }

  private static let unarchive = edit(
    "/actions/unarchive", name: "unarchive_virtual_currency", summary: "Takes a currency out of the archive."
  ) { (edit) throws(LedgerError) in try edit.setActive(true) }

  private static let delete = Route.edit(
    onePath, method: "DELETE", name: "delete_virtual_currency",
    summary: "Deletes a currency that was never used; one that was is refused, and can be archived.",
    scope: .currencies, answer: RESTSchemas.deleted("virtual_currency")
  ) { (call) throws(LedgerError) in call.deleted("virtual_currency", try CurrencyEdit(call).delete().description) }

  private static func edit(
    _ ending: String, name: String, summary: String, body: Schema? = nil,
    _ change: @escaping @Sendable (CurrencyEdit) throws(LedgerError) -> CurrencyCode
  ) -> Route {
    Route.edit(
      onePath + ending, name: name, summary: summary, scope: .currencies, body: body, answer: CurrencyDocument.schema
    ) { (call) throws(LedgerError) in try answer(change(CurrencyEdit(call)), call) }
  }

  // MARK: Answers

  private static func answer(
    _ code: CurrencyCode, _ call: Call, status: Int = 200
  ) throws(LedgerError) -> HTTPResponse {
    let catalog = try call.project.catalogs.current()
    guard let currency = catalog.catalog.currency(code) else { throw CurrencyEdit.unknown(code.description) }
    let document = CurrencyDocument(currency: currency, catalog: catalog, projectID: call.project.id)
    return .json(status, document.json)
  }

  // MARK: Forms

  private static let codeField = Schema.Field(
    "code", .text(1...10, pattern: "^[a-zA-Z0-9_]+$"), "Codes differ by case.", isRequired: true)

  private static func nameField(isRequired: Bool) -> Schema.Field {
    Schema.Field("name", .text(1...50), "The name for people.", isRequired: isRequired)
  }

  private static let optionalFields = [
    Schema.Field("description", .nullable(.text(1...1500)), "The description."),
    Schema.Field(ProductGrants.member, ProductGrants.requestSchema, "The amounts of the currency that products grant."),
  ]
}

/// A currency in the form of RevenueCat's API.
private struct CurrencyDocument: JSONDocument {
  let currency: Currency
  let catalog: ProjectCatalog
  let projectID: String

  static let form = JSONForm<Self>([
    .object("virtual_currency"), .always("project_id", \.projectID, .text()),
    .always("code", \.currency.code.description, .text(1...10)), .always("name", \.currency.name, .text()),
    .always("description", \.currency.description, .nullable(.text())),
    .always(
      "state", { $0.currency.isActive ? "active" : "inactive" }, .word(["active", "inactive"]),
      "Inactive while it is archived."),
    .always("created_at", { $0.catalog.createdAt($0.currency.code) }, .instant),
    .always(
      "product_grants", { ProductGrants(of: $0.currency.code, in: $0.catalog.catalog) },
      ProductGrants.kind),
  ])
}
#endif
