#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// Receipts of purchases, with or without an order.
enum ReceiptRoutes {
  static var all: [Route] { [post, complete] }

  private static let fields: [Schema.Field] = [
    .always("fetch_token", .text(), "The evidence as the store gave it: a signed transaction, or a purchase's JSON."),
    .always("app_user_id", .customerID, "The customer to credit where the receipt names no known buyer."),
    Schema.Field("source", .word(ReceiptPost.Source.all), "Why it is posted."),
    Schema.Field(
      "order_search", .word(ReceiptPost.OrderSearch.all), "Whether the order that it pays for is looked for."),
    Schema.Field(
      "is_restore", .nullable(.boolean), "Where there is neither source nor initiation_source: whether it is a restore."
    ),
    Schema.Field(
      "initiation_source", .nullable(.text()), "Where there is no source: purchase, restore or queue."),
    Schema.Field("transaction_id", .anything, "The transaction that a receipt of StoreKit 1 is looked up by."),
    Schema.Field("product_id", .anything, "The product of a purchase at the test store; or product_ids, a list."),
  ]

  private static let answer = Schema.object(
    Schema.customerInfoFields + [
      .always("receipt", .receiptAnswer, "What was credited."),
      Schema.Field(
        "purchased_products", .map(.object([.always("should_consume", .boolean)])),
        "By the product's id at the store: whether an app consumes the purchase, so that it can be bought again."),
    ])

  private static let post = Route.sdk(
    "POST", "/v1/receipts", "post_receipt", "Credits the purchase that a receipt proves, once.",
    body: .object(fields), answers: [200: answer], takesUnknown: true,
    work: .later { (call) async throws(LedgerError) in
      let post = try ReceiptPost(wire: call.wire)
      _ = try call.permitted(post.customer, for: .postReceipt)
      return try await response(try await ReceiptIntake(call).answer(post), to: post, call)
    })

  private static let complete = Route.sdk(
    "POST", "/v1/orders/{purchase_code}/complete", "complete_order",
    "The second step of a purchase: credits the receipt, completes its order, and delivers it.",
    body: .object(fields), answers: [200: answer], takesUnknown: true,
    work: .later { (call) async throws(LedgerError) in
      let post = try ReceiptPost(wire: call.wire)
      _ = try call.permitted(post.customer, for: .postReceipt)
      let order = PurchaseCode(unchecked: call.name("purchase_code"))
      // An order knows its store; one that nobody knows is the intake's to tell.
      let store = try? call.project.backend.order(order).request.store
      return try await response(try await ReceiptIntake(call, order: order, store: store).answer(post), to: post, call)
    })

  private static func response(
    _ answer: ReceiptAnswer, to post: ReceiptPost, _ call: Call
  ) async throws(LedgerError) -> HTTPResponse {
    var answer = answer
    // The request has one name in the log, and it is the server's.
    answer.requestID = call.request.id
    var members = try document(of: post.customer, call).members
    members["receipt"] = answer.wire
    let isConsumable: JSONValue = .bool(answer.purchase.productType == .consumable)
    let name = answer.purchase.storeProductID ?? answer.purchase.product.text
    members["purchased_products"] = [name: ["should_consume": isConsumable]]
    return .json(200, .object(members))
  }

  /// The customer as it stands; a post makes no customer, so an unknown one has nothing.
  private static func document(of customer: CustomerID, _ call: Call) throws(LedgerError) -> SubscriberDocument {
    let backend = call.project.backend
    do throws(LedgerError) {
      return SubscriberDocument(
        record: try backend.knownCustomer(customer), subscriptions: try backend.subscriptions(of: customer))
    } catch {
      guard error.code == .customerNotFound else { throw error }
      let now = call.project.clock.now()
      let record = CustomerRecord(
        customer: customer, originalID: customer, ids: [customer], firstSeenAt: now, asOf: now, entitlements: [],
        nonSubscriptions: [])
      return SubscriberDocument(record: record, subscriptions: [])
    }
  }
}

extension ReceiptPost.Source {
  fileprivate static let all = [purchase, updates, restore, sweep, refunds].map(\.rawValue)
}

extension ReceiptPost.OrderSearch {
  fileprivate static let all = [Self.none, find, findOrOpen].map(\.rawValue)
}
#endif
