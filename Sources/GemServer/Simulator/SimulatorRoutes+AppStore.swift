#if Server
internal import GemLedger
internal import SimulatedStores
internal import SystemHTTP

// The App Store Server API, with its key and its faults.
extension SimulatorRoutes {
  /// Empty for a store that behaves as Google Play does.
  var appStore: [Route] {
    guard simulator.shop.apple != nil else { return [] }
    let api = SimulatedAppStore(simulator)
    return [
      info(api), history(api), refunds(api), consumption(api, version: 1), consumption(api, version: 2),
      requestTest(api), test(api), key(api), listAPIFaults(api), addAPIFault(api), clearAPIFaults(api),
    ]
  }

  // MARK: Apple's paths

  /// An operation of the App Store Server API; a token of the simulator's key opens it.
  private func route(
    _ method: String, _ path: String, _ name: String, _ summary: String, query: [Parameter] = [],
    body: Schema? = nil, answer: Schema = .anything, status: Int = 200, _ api: SimulatedAppStore,
    _ work: @escaping @Sendable (Call) async throws(SimulatedAppStoreError) -> HTTPResponse
  ) -> Route {
    Route(
      method: method, path: "/inApps\(path)", name: "app_store_\(name)", summary: summary, access: .open,
      query: query, body: body, answers: [status: answer], takesAnyQuery: true,
      work: .later { (call) async throws(LedgerError) in try await api.answer(call, work) })
  }

  private static let signed = Schema.text(1...1_048_576)
  private static let transactions: [Schema.Field] = [
    .always("signedTransactions", .list(signed, 0...SimulatedHistory.pageSize), "Signed by the simulated authority."),
    .always("revision", .text(), "Where the next page begins."), .always("hasMore", .boolean),
  ]

  private func info(_ api: SimulatedAppStore) -> Route {
    route(
      "GET", "/v1/transactions/{transaction_id}", "get_transaction_info",
      "The simulated App Store Server API: a purchase as the store signs it now.",
      answer: .object([.always("signedTransactionInfo", Self.signed)]), api
    ) { (call) throws(SimulatedAppStoreError) in try api.info(call.name("transaction_id")) }
  }

  private func history(_ api: SimulatedAppStore) -> Route {
    route(
      "GET", "/v2/history/{transaction_id}", "get_transaction_history",
      "The simulated App Store Server API: the paid purchases of the account that any of them names, by pages of "
        + "\(SimulatedHistory.pageSize).",
      query: [
        Parameter("revision", .text(), "As the page before says."), Parameter("startDate", .integer(), "In ms."),
        Parameter("endDate", .integer(), "In ms."), Parameter("productId", .text(), "Any number of times."),
        Parameter("productType", .text(), "CONSUMABLE, NON_CONSUMABLE, AUTO_RENEWABLE or NON_RENEWABLE; repeated."),
        Parameter("subscriptionGroupIdentifier", .text(), "Any number of times."),
        Parameter("inAppOwnershipType", .text(), "PURCHASED or FAMILY_SHARED."),
        Parameter("revoked", .boolean, "Only those that were given back, or only the others."),
        Parameter("sort", .text(), "ASCENDING, as by default, or DESCENDING."),
      ],
      answer: .object(Self.transactions + [.always("bundleId", .text()), .always("environment", .text())]), api
    ) { (call) throws(SimulatedAppStoreError) in
      try api.history(of: call.name("transaction_id"), SimulatedHistory(call.request.query), namesApp: true)
    }
  }

  private func refunds(_ api: SimulatedAppStore) -> Route {
    route(
      "GET", "/v2/refund/lookup/{transaction_id}", "get_refund_history",
      "The simulated App Store Server API: the purchases of an account that were given back.",
      query: [Parameter("revision", .text(), "As the page before says.")], answer: .object(Self.transactions), api
    ) { (call) throws(SimulatedAppStoreError) in
      let revision = call.request.query.last { $0.name == "revision" }?.value
      return try api.history(of: call.name("transaction_id"), .refunds(revision: revision), namesApp: false)
    }
  }

  private func consumption(_ api: SimulatedAppStore, version: Int) -> Route {
    route(
      "PUT", "/v\(version)/transactions/consumption/{transaction_id}", "send_consumption_v\(version)",
      "The simulated App Store Server API: what became of a purchase; it is checked and not kept.", body: .anything,
      status: 202, api
    ) { (call) throws(SimulatedAppStoreError) in
      try api.consume(call.name("transaction_id"), call.body, version: version)
    }
  }

  private func requestTest(_ api: SimulatedAppStore) -> Route {
    Route(
      method: "POST", path: "/inApps/v1/notifications/test", name: "app_store_request_test_notification",
      summary: "The simulated App Store Server API: a test notification, to the simulator's own backend.",
      access: .open, answers: [200: .object([.always("testNotificationToken", .text())])], takesAnyQuery: true,
      work: .later { (call) async throws(LedgerError) in
        let answer = try await api.answer(call) { _ in HTTPResponse(status: 200) }
        return answer.status == 200 ? try await api.requestTest() : answer
      })
  }

  private func test(_ api: SimulatedAppStore) -> Route {
    route(
      "GET", "/v1/notifications/test/{test_token}", "get_test_notification_status",
      "The simulated App Store Server API: what became of a test notification.",
      answer: .object([
        .always("signedPayload", Self.signed),
        .always(
          "sendAttempts",
          .list(.object([.always("attemptDate", .integer()), .always("sendAttemptResult", .text())]))),
      ]), api
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
        .always("environment", .text(), "As the signed transactions say."),
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

  private static let faultFields: [Schema.Field] = [
    Schema.Field(
      "effect", .word(SimulatedAppStoreFaults.Effect.allCases.map(\.rawValue)),
      "How a request goes wrong: late, 404 (4040010), 500 (5000001), 401 without JSON, or 429 (4290000).",
      isRequired: true),
    Schema.Field("delay_milliseconds", .nullable(.integer(0...600_000)), "How late, with slow; 5000 by default."),
    Schema.Field("count", .nullable(.integer(1...1_000_000)), "How many requests; without it until it is cleared."),
  ]

  private static let faultList = Schema.object([
    .always("object", .word(["list"])),
    .always(
      "items",
      .list(
        .object(
          [.always("object", .word(["simulator.api_fault"]))]
            + faultFields.map { Schema.Field($0.name, $0.schema, $0.help, isRequired: true) }),
        0...SimulatedAppStoreFaults.countMax), "The first one strikes the next request."),
  ])

  private func listAPIFaults(_ api: SimulatedAppStore) -> Route {
    route(
      "GET", "/apple/api-faults", "list_simulated_app_store_faults",
      "Lists the faults of the simulated App Store Server API that are left.", answer: Self.faultList
    ) { (_, _) in Self.list(api.faults) }
  }

  private func addAPIFault(_ api: SimulatedAppStore) -> Route {
    route(
      "POST", "/apple/api-faults", "add_simulated_app_store_fault",
      "Lets requests to the simulated App Store Server API go wrong, behind the faults that are left.",
      body: .object(Self.faultFields), answer: Self.faultList
    ) { (_, call) async throws(LedgerError) in
      guard let effect = call.body["effect"]?.text.flatMap(SimulatedAppStoreFaults.Effect.init(rawValue:)) else {
        throw .parameter("effect", "is not known here")
      }
      let delay = call.body["delay_milliseconds"]?.integer
      guard delay == nil || effect == .slow else { throw .parameter("delay_milliseconds", "goes with \"slow\"") }
      try api.faults.add(
        SimulatedAppStoreFaults.Fault(
          effect: effect, delayMilliseconds: effect == .slow ? delay ?? 5000 : 0,
          count: call.body["count"]?.integer))
      return Self.list(api.faults)
    }
  }

  private func clearAPIFaults(_ api: SimulatedAppStore) -> Route {
    route(
      "DELETE", "/apple/api-faults", "clear_simulated_app_store_faults",
      "Ends all faults of the simulated App Store Server API.", answer: Self.faultList
    ) { (_, _) in
      api.faults.clear()
      return Self.list(api.faults)
    }
  }

  private static func list(_ faults: SimulatedAppStoreFaults) -> HTTPResponse {
    let items = faults.all.map { fault -> JSONValue in
      [
        "object": "simulator.api_fault", "effect": .string(fault.effect.rawValue),
        "delay_milliseconds": fault.effect == .slow ? .integer(fault.delayMilliseconds) : .null,
        "count": JSONValue(fault.count),
      ]
    }
    return .json(200, ["object": "list", "items": .array(items)])
  }
}
#endif
