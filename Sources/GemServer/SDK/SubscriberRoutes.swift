#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// A customer's state, balances and history.
enum SubscriberRoutes {
  static var all: [Route] { [get, register, balances, ownBalances, purchases, SubscriberAttributes.post] }

  private static let get = Route.sdk(
    "GET", "/v1/subscribers/{app_user_id}", "get_subscriber", "Gets or creates a customer.",
    answers: [200: .customerInfo, 201: .customerInfo],
    work: .later { (call) async throws(LedgerError) in
      let customer = try call.subscriber()
      let registration = try await call.project.backend.register(customer)
      let record = try await call.project.backend.customer(customer)
      let document = SubscriberDocument(
        record: record, subscriptions: try call.project.backend.subscriptions(of: customer))
      var members = document.members
      if case .secret = call.caller.kind, var subscriber = members["subscriber"]?.object {
        // Attributes are personal data, and not for every caller with the app's key.
        subscriber["subscriber_attributes"] = try call.project.ledger.attributes.all(of: customer).subscriberAttributes
        members["subscriber"] = .object(subscriber)
      }
      return .json(registration.isCreated ? 201 : 200, .object(members))
    })

  private static let register = Route.sdk(
    "POST", "/v1/subscribers/{app_user_id}/register", "register_subscriber",
    "Makes a customer known, as every start of an app does.",
    answers: [200: Registration.schema, 201: Registration.schema],
    work: .later { (call) async throws(LedgerError) in
      try await call.project.backend.register(try call.subscriber()).response
    })

  private static let balanceAnswer = Schema.object([
    .always("virtual_currencies", .balancesByCode, "Every currency of the project, zeros included.")
  ])

  private static let balances = Route.sdk(
    "GET", "/v1/subscribers/{app_user_id}/virtual_currencies", "get_subscriber_virtual_currencies",
    "A customer's balances of all currencies; creates an unknown customer.", answers: [200: balanceAnswer],
    work: .later { (call) async throws(LedgerError) in
      .json(200, call.document(of: try await call.project.backend.balances(of: call.subscriber())))
    })

  private static let ownBalances = Route.sdk(
    "GET", "/v1/customer/virtual_currencies", "get_customer_virtual_currencies",
    "The balances of the session's customer.", access: .session, answers: [200: balanceAnswer],
    work: .later { (call) async throws(LedgerError) in
      .json(200, call.document(of: try await call.project.backend.balances(of: call.customer())))
    })

  private static let purchases = Route.sdk(
    "GET", "/v1/subscribers/{app_user_id}/purchases", "list_subscriber_purchases",
    "A customer's credited purchases with the orders that they paid for, newest first.", query: SDKRoutes.paging,
    answers: [200: .object([.always("purchases", .list(PurchaseRecord.schema))])],
    work: .later { (call) async throws(LedgerError) in
      let (page, size) = call.page
      let customer = try call.subscriber()
      var purchases = try await call.project.backend.purchases(of: customer, page: page, size: size)
      // Purchases name their orders, which need the right to list orders.
      if try !call.may(.listOrders, of: customer) {
        for index in purchases.indices { purchases[index].announcement = nil }
      }
      return .json(200, ["purchases": purchases.wire])
    })
}

extension Call {
  /// Returns balances for the SDK's platform: the Android SDK fails on numbers beyond 32 bits.
  fileprivate func document(of balances: [Balance]) -> JSONValue {
    guard request.headers["X-Platform"]?.lowercased() == "android" else { return .balances(balances) }
    let bounds = Int64(Int32.min)...Int64(Int32.max)
    var document = JSONObject()
    for balance in balances {
      guard var members = balance.wire.object, let amount = members["balance"]?.integer else { continue }
      if !bounds.contains(amount) {
        members["balance"] = .integer(min(max(amount, bounds.lowerBound), bounds.upperBound))
        members["exact_balance"] = .integer(amount)
      }
      document[balance.currency.description] = .object(members)
    }
    return ["virtual_currencies": .object(document)]
  }
}

extension JSONValue {
  /// Returns balances by currency code, in their order.
  static func balances(_ balances: [Balance]) -> JSONValue {
    ["virtual_currencies": .object(JSONObject(balances.map { ($0.currency.description, $0.wire) }))]
  }
}
#endif
