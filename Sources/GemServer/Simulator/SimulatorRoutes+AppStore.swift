#if Server
internal import GemLedger
internal import SimulatedStores
internal import SystemHTTP

// The App Store Server API and its key.
extension SimulatorRoutes {
  /// Empty for a store that behaves like Google Play.
  var appStore: [Route] {
    guard simulator.shop.apple != nil else { return [] }
    let api = SimulatedAppStore(simulator)
    return [
      info(api), history(api), refunds(api), consumption(api, version: 1), consumption(api, version: 2),
      requestTest(api), test(api), key(api),
    ]
  }

  // MARK: Apple's paths

  /// An operation of the App Store Server API; callers need a token signed with the simulator's key.
  private func route(
    _ method: String, _ path: String, _ name: String, _ summary: String, query: [Parameter] = [],
    body: Schema? = nil, answer: Schema = .anything, status: Int = 200, _ api: SimulatedAppStore,
    _ fault: SimulatedAppStore.Operation,
    _ work: @escaping @Sendable (Call) async throws(SimulatedAppStoreError) -> HTTPResponse
  ) -> Route {
    Route(
      method: method, path: "/inApps\(path)", name: "app_store_\(name)", summary: summary, access: .open,
      query: query, body: body, answers: [status: answer], takesAnyQuery: true,
      work: .later { (call) async throws(LedgerError) in try await api.answer(fault, call, work) })
  }

  private static let signed = Schema.text(1...1_048_576)
  private static let transactions: [Schema.Field] = [
    .always("signedTransactions", .list(signed, 0...SimulatedHistory.pageSize), "Signed by the simulated authority."),
    .always("revision", .text(), "The start of the next page."), .always("hasMore", .boolean),
  ]

  private func info(_ api: SimulatedAppStore) -> Route {
    route(
      "GET", "/v1/transactions/{transaction_id}", "get_transaction_info",
      "The simulated App Store Server API: a purchase as the store signs it now.",
      answer: .object([.always("signedTransactionInfo", Self.signed)]), api, .transaction
    ) { (call) throws(SimulatedAppStoreError) in try api.info(call.name("transaction_id")) }
  }

  private func history(_ api: SimulatedAppStore) -> Route {
    route(
      "GET", "/v2/history/{transaction_id}", "get_transaction_history",
      "The simulated App Store Server API: the paid purchases of the account that any of them names, by pages of "
        + "\(SimulatedHistory.pageSize).",
      query: [
        Parameter("revision", .text(), "From the previous page."), Parameter("startDate", .integer(), "In ms."),
        Parameter("endDate", .integer(), "In ms."), Parameter("productId", .text(), "Any number of times."),
        Parameter("productType", .text(), "CONSUMABLE, NON_CONSUMABLE, AUTO_RENEWABLE or NON_RENEWABLE; repeated."),
        Parameter("subscriptionGroupIdentifier", .text(), "Any number of times."),
        Parameter("inAppOwnershipType", .text(), "PURCHASED or FAMILY_SHARED."),
        Parameter("revoked", .boolean, "Only those that were given back, or only the others."),
        Parameter("sort", .text(), "ASCENDING, as by default, or DESCENDING."),
      ],
      answer: .object(Self.transactions + [.always("bundleId", .text()), .always("environment", .text())]), api,
      .history
    ) { (call) throws(SimulatedAppStoreError) in
      try api.history(of: call.name("transaction_id"), SimulatedHistory(call.request.query), namesApp: true)
    }
  }

  private func refunds(_ api: SimulatedAppStore) -> Route {
    route(
      "GET", "/v2/refund/lookup/{transaction_id}", "get_refund_history",
      "The simulated App Store Server API: the refunded purchases of an account.",
      query: [Parameter("revision", .text(), "From the previous page.")], answer: .object(Self.transactions), api,
      .refunds
    ) { (call) throws(SimulatedAppStoreError) in
      let revision = call.request.query.last { $0.name == "revision" }?.value
      return try api.history(of: call.name("transaction_id"), .refunds(revision: revision), namesApp: false)
    }
  }

  private func consumption(_ api: SimulatedAppStore, version: Int) -> Route {
    route(
      "PUT", "/v\(version)/transactions/consumption/{transaction_id}", "send_consumption_v\(version)",
      "The simulated App Store Server API: consumption data, checked but not stored.", body: .anything,
      status: 202, api, .consumption
    ) { (call) throws(SimulatedAppStoreError) in
      try api.consume(call.name("transaction_id"), call.body, version: version)
    }
  }

  private func requestTest(_ api: SimulatedAppStore) -> Route {
    Route(
      method: "POST", path: "/inApps/v1/notifications/test", name: "app_store_request_test_notification",
      summary: "The simulated App Store Server API: request a test notification to the simulator's backend.",
      access: .open, answers: [200: .object([.always("testNotificationToken", .text())])], takesAnyQuery: true,
      work: .later { (call) async throws(LedgerError) in
        let answer = try await api.answer(.test, call) { _ in HTTPResponse(status: 200) }
        return answer.status == 200 ? try await api.requestTest() : answer
      })
  }

  private func test(_ api: SimulatedAppStore) -> Route {
    route(
      "GET", "/v1/notifications/test/{test_token}", "get_test_notification_status",
      "The simulated App Store Server API: the delivery status of a test notification.",
      answer: .object([
        .always("signedPayload", Self.signed),
        .always(
          "sendAttempts",
          .list(.object([.always("attemptDate", .integer()), .always("sendAttemptResult", .text())]))),
      ]), api, .test
    ) { (call) throws(SimulatedAppStoreError) in try api.test(call.name("test_token")) }
  }

  // MARK: Controls

  private func key(_ api: SimulatedAppStore) -> Route {
    route(
      "GET", "/apple/in-app-purchase-key.json", "get_simulated_in_app_purchase_key",
      "The key for tokens of the simulated App Store Server API; it is kept with the ledger.",
      answer: .object([
        .always("object", .word(["simulator.in_app_purchase_key"])), .always("key_id", .text(), "The header's kid."),
        .always("issuer_id", .text(), "The claim iss."), .always("bundle_id", .text(), "The claim bid."),
        .always("environment", .text(), "As in the signed transactions."),
        .always("private_key", .text(), "PKCS #8 as PEM, as in a .p8 file of App Store Connect."),
      ])
    ) { (_, _) async throws(LedgerError) in
      let key = try api.key()
      return .json(
        200,
        [
          "object": "simulator.in_app_purchase_key", "key_id": .string(key.keyID), "issuer_id": .string(key.issuerID),
          "bundle_id": .string(try api.bundleID()), "environment": .string(api.environmentName),
          "private_key": .string(key.pem),
        ])
    }
  }
}
#endif
