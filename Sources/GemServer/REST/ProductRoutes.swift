#if Server
internal import GemLedger
internal import SystemHTTP

/// The products of a project; only the catalog's file changes them.
enum ProductRoutes {
  static var all: [Route] { [list, get] }

  private static let path = RESTRoutes.project + "/products"

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
    method: "GET", path: path + "/{product_id}", name: "get_product", summary: "One product.",
    access: .secret(.products), query: [RESTSchemas.expand], answers: [200: ProductDocument.schema],
    rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let (catalog, code) = (try call.project.catalogs.current(), call.name("product_id"))
      guard let product = catalog.catalog.products.first(where: { $0.code.text.hasBytes(of: code) }) else {
        throw LedgerError(.productNotFound, "There is no product \"\(code.prefix(100))\" in the catalog.")
      }
      return .json(200, ProductDocument(product, createdAt: catalog.projectCreatedAt).json)
    })
}
#endif
