#if Server
internal import GemLedger
internal import SystemHTTP

/// The products of a project; prices and grants of items are set with the whole catalog.
enum ProductRoutes {
  static var all: [Route] { [list, create, get, update, delete, archive, unarchive] }

  private static let path = RESTRoutes.project + "/products"
  private static let onePath = path + "/{product_id}"

  private static let list = Route(
    method: "GET", path: path, name: "list_products", summary: "Lists the products, in the catalog's order.",
    access: .secret(.products),
    query: Page.parameters + [
      Parameter("app_id", .word(Product.storeNames), "Lists the products of one store, with their ids there."),
      RESTSchemas.expand,
    ],
    answers: [200: Schema.page(of: ProductDocument.schema)], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let (catalog, store) = (try call.project.catalogs.current(), call.query["app_id"]?.text)
      let products = catalog.catalog.products.filter { product in store.map { product.storeIDs[$0] != nil } ?? true }
      return try Page(of: products, call, cursor: \.code.text) {
        ProductDocument($0, at: store, createdAt: catalog.projectCreatedAt).json
      }.response(to: call)
    })

  private static let get = Route(
    method: "GET", path: onePath, name: "get_product", summary: "One product.",
    access: .secret(.products), query: [RESTSchemas.expand], answers: [200: ProductDocument.schema],
    rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      try answer(call.name("product_id"), call)
    })

  private static let create = Route.edit(
    path, name: "create_product",
    summary: "Adds a product, with the store's id as its code; an id of a product adds a store to that product.",
    scope: .products,
    body: .object([
      .always("store_identifier", RESTSchemas.identifier(255), "The product's id at the store, and its code."),
      .always("app_id", .word(Product.storeNames), "The store."), .always("type", .word(ProductType.namesInREST)),
      .displayName("The title, in the catalog's first language.", isNullable: true),
      Schema.Field(
        "subscription", .nullable(.object([.always("duration", .text(2...20), "The cycle in ISO 8601.")])),
        "Only for subscriptions."),
    ]), answer: ProductDocument.schema, status: 201
  ) { (call) throws(LedgerError) in
    try answer(ProductEdit(call).create(), call, at: call.text("app_id"), status: 201)
  }

  private static let update = edit(
    "", name: "update_product", summary: "Changes the title, in the catalog's first language.",
    body: .object([.displayName("The title.", isRequired: true)])
  ) { (edit) throws(LedgerError) in try edit.update() }

  private static let archive = edit(
    "/actions/archive", name: "archive_product", summary: "Takes a product off sale; paid purchases are still credited."
  ) { (edit) throws(LedgerError) in try edit.setActive(false) }

  private static let unarchive = edit(
    "/actions/unarchive", name: "unarchive_product", summary: "Puts an archived product on sale."
  ) { (edit) throws(LedgerError) in try edit.setActive(true) }

  private static let delete = Route.edit(
    onePath, method: "DELETE", name: "delete_product", summary: "Deletes a product that no package has.",
    scope: .products,
    answer: RESTSchemas.deleted("product")
  ) { (call) throws(LedgerError) in call.deleted("product", try ProductEdit(call).delete()) }

  private static func edit(
    _ ending: String, name: String, summary: String, body: Schema? = nil,
    _ change: @escaping @Sendable (ProductEdit) throws(LedgerError) -> String
  ) -> Route {
    Route.edit(
      onePath + ending, name: name, summary: summary, scope: .products, body: body, answer: ProductDocument.schema
    ) { (call) throws(LedgerError) in try answer(change(ProductEdit(call)), call) }
  }

  private static func answer(
    _ code: String, _ call: Call, at store: String? = nil, status: Int = 200
  ) throws(LedgerError) -> HTTPResponse {
    let catalog = try call.project.catalogs.current()
    let product = catalog.catalog.products[try ProductEdit.index(of: code, in: catalog.catalog.products)]
    return .json(status, ProductDocument(product, at: store, createdAt: catalog.projectCreatedAt).json)
  }
}
#endif
