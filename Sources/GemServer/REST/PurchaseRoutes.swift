#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// Customers' one-time purchases, in RevenueCat's form, which excludes subscriptions.
enum PurchaseRoutes {
  static var all: [Route] { [list] }

  private static let list = Route(
    method: "GET", path: RESTRoutes.customer + "/purchases", name: "list_purchases",
    summary: "Lists a customer's credited purchases without subscriptions, newest credit first.",
    access: .secret(.purchases),
    query: Page.parameters + [
      Parameter("environment", .word(["production", "sandbox"]), "Lists purchases of one environment only.")
    ],
    answers: [200: Schema.page(of: schema)], rate: .customerInformation,
    work: .later { (call) async throws(LedgerError) in
      let (purchases, next) = try await page(call)
      let (customer, catalog) = (try call.customer(), try call.project.catalogs.current())
      let originalID = try call.project.ledger.customerIDs(of: customer).first ?? customer
      let items = purchases.map { json($0, customer, originalID, catalog, call.project) }
      return Page(items, next: next).response(to: call)
    })

  /// Returns the purchases after the call's cursor, and the cursor of the last purchase if there are more.
  private static func page(_ call: Call) async throws(LedgerError) -> ([PurchaseRecord], next: String?) {
    let customer = try call.customer()
    let (isSandbox, size) = (call.query["environment"]?.text.map { $0 == "sandbox" }, 100)
    // A cursor is a purchase's id, so the customer's earlier purchases are read too.
    var cursor = call.query["starting_after"]?.text
    var (found, number): ([PurchaseRecord], Int) = ([], 1)
    while found.count <= call.limit {
      let page = try await call.project.backend.purchases(of: customer, page: number, size: size)
      var rest = page[...]
      if let text = cursor {
        guard let place = page.firstIndex(where: { $0.transactionID.description == text }) else {
          guard page.count == size else { throw .parameter("starting_after", "names nothing in this list") }
          number += 1
          continue
        }
        (rest, cursor) = (page[(place + 1)...], nil)
      }
      found += rest.filter { !$0.productType.isSubscription && (isSandbox == nil || $0.isSandbox == isSandbox) }
      guard page.count == size else { break }
      number += 1
    }
    let listed = Array(found.prefix(call.limit))
    return (listed, found.count > listed.count ? listed.last?.transactionID.description : nil)
  }

  private static func json(
    _ purchase: PurchaseRecord, _ customer: CustomerID, _ originalID: CustomerID, _ catalog: ProjectCatalog,
    _ project: ServerProject
  ) -> JSONValue {
    let entitlement = catalog.catalog.product(purchase.product)?.entitlement
    return [
      "object": "purchase", "id": .string(purchase.transactionID.description),
      "customer_id": .string(customer.text), "original_customer_id": .string(originalID.text),
      "product_id": .string(purchase.product.text), "purchased_at": .integer(purchase.purchasedAt.milliseconds),
      "revenue_in_usd": revenue(purchase.price), "price": price(purchase.price),
      "quantity": .integer(purchase.quantity),
      "status": .string(purchase.refundedMilliPercent >= 100_000 ? "refunded" : "owned"),
      "presented_offering_id": nil,
      "entitlements": [
        "object": "list",
        "items": .array(
          [entitlement].compactMap(\.self).map { id in
            [
              "object": "entitlement", "project_id": .string(project.id), "id": .string(id), "lookup_key": .string(id),
              "display_name": .string(id), "created_at": .integer(catalog.projectCreatedAt.milliseconds),
            ]
          }), "next_page": nil,
        "url": .string(
          "/v2/projects/\(Percent.encoded(project.id))/purchases/\(purchase.transactionID)/entitlements"),
      ],
      "environment": .string(purchase.isSandbox ? "sandbox" : "production"),
      "store": .string(purchase.store.nameOfV1),
      "store_purchase_identifier": .string(purchase.storeTransactionID.text), "ownership": "purchased", "country": nil,
    ]
  }

  /// Returns RevenueCat's form, which has only US dollars: the ledger converts no currency, so other prices are 0.
  private static func revenue(_ price: Money?) -> JSONValue {
    let gross = price?.currency == "USD" ? PaymentAmount.json(price) : 0
    return ["currency": "USD", "gross": gross, "tax": 0, "proceeds": gross, "commission": 0]
  }

  private static func price(_ price: Money?) -> JSONValue {
    guard let price else { return .null }
    return ["amount": PaymentAmount.json(price), "currency": .string(price.currency)]
  }

  // MARK: Forms

  private static let revenueSchema = Schema.object([
    Schema.Field("currency", .word(["USD"]), isRequired: true), Schema.Field("gross", .decimal, isRequired: true),
    Schema.Field("tax", .decimal, isRequired: true), Schema.Field("proceeds", .decimal, isRequired: true),
    Schema.Field("commission", .decimal, isRequired: true),
  ])

  private static let entitlementSchema = RESTSchemas.object(
    "entitlement",
    [
      Schema.Field("project_id", .text(), isRequired: true), Schema.Field("id", .text(), isRequired: true),
      Schema.Field("lookup_key", .text(), isRequired: true), Schema.Field("display_name", .text(), isRequired: true),
      Schema.Field("created_at", RESTSchemas.milliseconds, isRequired: true),
    ])

  private static let schema = RESTSchemas.object(
    "purchase",
    [
      Schema.Field("id", .text(), "The transaction that credited it.", isRequired: true),
      Schema.Field("customer_id", .text(), isRequired: true),
      Schema.Field("original_customer_id", .text(), isRequired: true),
      Schema.Field("product_id", .text(), "The product's code in the catalog.", isRequired: true),
      Schema.Field("purchased_at", RESTSchemas.milliseconds, isRequired: true),
      Schema.Field(
        "revenue_in_usd", revenueSchema, "0 if the price is in another currency, which is not converted.",
        isRequired: true),
      Schema.Field(
        "price",
        .nullable(
          .object([
            Schema.Field("amount", .decimal, isRequired: true),
            Schema.Field("currency", .text(3...3), isRequired: true),
          ])), "The price paid for all units, if the store states it.", isRequired: true),
      Schema.Field("quantity", .integer(), isRequired: true),
      Schema.Field("status", .word(["owned", "refunded"]), "Refunded: in full.", isRequired: true),
      Schema.Field("presented_offering_id", .nullable(.text()), "Always null.", isRequired: true),
      Schema.Field("entitlements", Schema.page(of: entitlementSchema), isRequired: true),
      Schema.Field("environment", .word(["production", "sandbox"]), isRequired: true),
      Schema.Field("store", .word(["app_store", "play_store", "amazon", "test_store"]), isRequired: true),
      Schema.Field("store_purchase_identifier", .text(), "The store's id of it.", isRequired: true),
      Schema.Field("ownership", .word(["purchased"]), isRequired: true),
      Schema.Field("country", .nullable(.text()), "Always null.", isRequired: true),
    ])
}
#endif
