#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// Receipts of purchases, with or without an order.
enum ReceiptRoutes {
  static var all: [Route] { [post, complete] }

  private static func body(_ evidence: Schema.Field) -> Schema { .object([evidence] + fields) }

  private static let fields: [Schema.Field] = [
    .always("app_user_id", .customerID, "The customer to credit if the receipt names no known buyer."),
    Schema.Field("source", .word(ReceiptPost.Source.all), "The reason of the post."),
    Schema.Field(
      "order_search", .word(ReceiptPost.OrderSearch.all), "Whether the order that it pays for is looked for."),
    Schema.Field(
      "initiation_source", .nullable(.text()),
      "Without a source: purchase, restore, queue or unsynced_active_purchases."),
    Schema.Field(
      "is_restore", .nullable(.boolean), "Without both: whether it is a restore."),
    Schema.Field("transaction_id", .anything, "The transaction that a receipt of StoreKit 1 is looked up by."),
    Schema.Field("product_id", .anything, "The product of a purchase at the test store; or product_ids, a list."),
    Schema.Field(
      "attributes", .anything, "As in set_subscriber_attributes; a refused attribute does not affect the purchase."),
  ]

  private static let answer = Schema.object(
    Schema.customerInfoFields + [
      Schema.Field("receipt", ReceiptAnswer.schema, "The credit; absent if no receipt was posted."),
      Schema.Field(
        "purchased_products", .map(.object([.always("should_consume", .boolean)])),
        "By the product's id at the store: whether an app consumes the purchase, so that it can be bought again."),
      SubscriberAttributes.answerField,
    ])

  private static let post = Route.sdk(
    "POST", "/v1/receipts", "post_receipt", "Credits the purchase that a receipt proves, once.",
    body: body(
      Schema.Field(
        "fetch_token", .nullable(.text()),
        "The evidence as the store gave it: a signed transaction, a purchase's JSON, or a purchase token of Google "
          + "Play; absent if a restore found nothing.")), answers: [200: answer],
    work: .later { (call) async throws(LedgerError) in
      guard try call.wire["fetch_token"].optional?.text().isEmpty == false else {
        // A restore that found nothing asks for the state of the customer.
        let customer = try call.permitted(call.wire["app_user_id"].identifier())
        let refused = await attributes(of: customer, call)
        return .json(200, .object(JSONObject(try document(of: customer, call).members.members + refused.members)))
      }
      let post = try ReceiptPost(wire: call.wire)
      _ = try call.permitted(post.customer, for: .postReceipt)
      return try await response(try await ReceiptIntake(call).answer(post), to: post, call)
    })

  private static let complete = Route.sdk(
    "POST", "/v1/orders/{purchase_code}/complete", "complete_order",
    "The second step of a purchase: credits the receipt, completes its order, and delivers it.",
    body: body(
      .always("fetch_token", .text(), "The evidence as the store gave it: a signed transaction, or a purchase's JSON.")
    ), answers: [200: answer],
    work: .later { (call) async throws(LedgerError) in
      let post = try ReceiptPost(wire: call.wire)
      _ = try call.permitted(post.customer, for: .postReceipt)
      let order = PurchaseCode(unchecked: call.name("purchase_code"))
      // An order knows its store; the intake refuses an unknown order.
      let store = try? call.project.backend.order(order).request.store
      return try await response(try await ReceiptIntake(call, order: order, store: store).answer(post), to: post, call)
    })

  private static func response(
    _ answer: ReceiptAnswer, to post: ReceiptPost, _ call: Call
  ) async throws(LedgerError) -> HTTPResponse {
    var answer = answer
    // The public request id is the server's.
    answer.requestID = call.request.id
    var document = try document(of: post.customer, call)
    // An SDK finishes the listed purchases, so list this purchase even if it is old or another customer's.
    let purchases = [answer.purchase] + answer.otherPurchases
    for purchase in purchases { document.record.list(purchase) }
    var members = document.members
    members.members += await attributes(of: post.customer, call).members
    members["receipt"] = answer.wire
    members["purchased_products"] = .object(
      JSONObject(
        purchases.map { purchase in
          let isConsumable: JSONValue = .bool(purchase.productType == .consumable)
          return (purchase.storeProductID ?? purchase.product.text, ["should_consume": isConsumable])
        }))
    return .json(200, .object(members))
  }

  /// Sets the attributes in the body, which the SDK then regards as delivered.
  ///
  /// - Returns: The answer's member with the refused attributes; empty also if the storage failed.
  private static func attributes(of customer: CustomerID, _ call: Call) async -> JSONObject {
    guard call.body["attributes"]?.object?.isEmpty == false else { return [:] }
    do throws(LedgerError) {
      return try await SubscriberAttributes.set(call.body["attributes"], of: customer, call)
    } catch {
      // Attributes never fail an answer about money.
      return [:]
    }
  }

  /// Returns the customer's state; a post creates no customer, so an unknown customer has an empty state.
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

extension CustomerRecord {
  /// Adds a purchase to the listed purchases, newest first, unless it is listed.
  fileprivate mutating func list(_ purchase: PurchaseRecord) {
    let isListed = nonSubscriptions.contains { known in
      known.store == purchase.store && known.storeTransactionID == purchase.storeTransactionID
        && known.product == purchase.product
    }
    guard !purchase.productType.isSubscription, !isListed else { return }
    let index = nonSubscriptions.firstIndex { $0.purchasedAt <= purchase.purchasedAt } ?? nonSubscriptions.endIndex
    nonSubscriptions.insert(purchase, at: index)
  }
}

extension ReceiptPost.Source {
  fileprivate static let all = [purchase, updates, restore, sweep, refunds].map(\.rawValue)
}

extension ReceiptPost.OrderSearch {
  fileprivate static let all = [Self.none, find, findOrOpen].map(\.rawValue)
}
#endif
