#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// RevenueCat's SDK calls other than purchases, balances and the shop.
///
/// Each answer satisfies the SDK, so that it does not repeat the call. Other paths of the SDKs return 404, which
/// disables their feature: `/v1/config/app`, `/v1/product_entitlement_mapping`, `/v1/health`,
/// `/v1/customercenter/…`, `/auth/…`. Without the mapping an SDK computes no customer info while the server is down,
/// and so keeps a purchase until the server has it.
enum SideRoutes {
  static var all: [Route] {
    [events, diagnostics, attribution, adServicesAttribution, introEligibility, restoreEligibility, reward, offers]
  }

  private static let nothing = Schema.object([])

  /// Returns a route that accepts data and stores nothing.
  private static func ignored(_ path: String, _ name: String, _ summary: String) -> Route {
    .sdk("POST", path, name, summary, body: nothing, answers: [200: nothing], work: .now { _ in .json(200, [:]) })
  }

  private static let events = ignored("/v1/events", "post_events", "Accepts an app's events and discards them.")
  private static let diagnostics = ignored(
    "/v1/diagnostics", "post_diagnostics", "Accepts an SDK's diagnostics and discards them.")
  private static let attribution = ignored(
    "/v1/subscribers/{app_user_id}/attribution", "post_attribution", "Accepts attribution data and discards it.")
  private static let adServicesAttribution = ignored(
    "/v1/subscribers/{app_user_id}/adservices_attribution", "post_adservices_attribution",
    "Accepts an Apple Ads token and discards it.")

  private static let introEligibility = Route.sdk(
    "POST", "/v1/subscribers/{app_user_id}/intro_eligibility", "get_intro_eligibility",
    "Returns null for each product: the eligibility is unknown.",
    body: .object([.always("product_identifiers", .list(.text()))]), answers: [200: .map(.nullable(.boolean))],
    work: .now { (call) in
      let ids = Set(call.body["product_identifiers"]?.array?.compactMap(\.text).map(ByteString.init) ?? [])
      return .json(200, .object(JSONObject(ids.sorted { $0.text < $1.text }.map { ($0.text, .null) })))
    })

  private static let restoreEligibility = Route.sdk(
    "POST", "/v1/subscribers/{app_user_id}/restore/eligibility", "get_restore_eligibility",
    "Allows every restore; the post of the receipt decides which purchases move.", body: nothing,
    answers: [200: .object([.always("is_purchase_allowed_by_restore_behavior", .boolean)])],
    work: .now { _ in .json(200, ["is_purchase_allowed_by_restore_behavior": true]) })

  private static let reward = Route.sdk(
    "GET", "/v1/subscribers/{app_user_id}/ads/reward_verifications/{client_transaction_id}",
    "get_reward_verification", "Reports a failed verification of an ad's reward: no ad network is connected.",
    answers: [
      200: .object([
        .always("status", .word(["failed"])), .always("failure_reason", .text()), .always("message", .text()),
      ])
    ],
    work: .now { _ in
      .json(
        200,
        [
          "status": "failed", "failure_reason": "not_configured",
          "message": "This server is connected to no ad network. Grant rewards from your own server.",
        ])
    })

  private static let offer = Schema.object([
    .always("offer_id", .text()), .always("product_id", .text()),
    Schema.Field("subscription_group", .nullable(.text())),
  ])

  private static let offers = Route.sdk(
    "POST", "/v1/offers", "sign_offers",
    "Signs promotional offers of the App Store, if the server has an in-app purchase key.",
    body: .object([.always("app_user_id", .customerID), .always("generate_offers", .list(offer, 0...100))]),
    answers: [
      200: .object([
        .always(
          "offers",
          .list(
            .object([
              .always("key_id", .text()), .always("offer_id", .text()), .always("product_id", .text()),
              Schema.Field(
                "signature_data",
                .object([.always("nonce", .text()), .always("signature", .text()), .always("timestamp", .integer())])),
              Schema.Field("signature_error", .object([.always("code", .integer()), .always("message", .text())])),
            ])))
      ])
    ],
    work: .now { (call) throws(LedgerError) in
      let (offers, appStore) = (call.body["generate_offers"]?.array ?? [], call.project.appStore)
      guard let key = appStore.key else { return .json(200, ["offers": .array(offers.map(unsigned))]) }
      let bundleID = try appStore.bundleID(of: call.project, named: call.request.headers["X-Client-Bundle-ID"])
      let user = AccountToken(call.body["app_user_id"]?.text ?? "")
      let signed = offers.map { offer -> JSONValue in
        let (id, product) = (offer["offer_id"]?.text ?? "", offer["product_id"]?.text ?? "")
        let nonce = HexForm.uuid(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
        let now = call.project.clock.now()
        let signature = key.offer(id, of: product, in: bundleID, user: user, nonce: nonce, at: now)
        return [
          "key_id": .string(signature.keyID), "offer_id": .string(id), "product_id": .string(product),
          "signature_data": [
            "nonce": .string(signature.nonce), "signature": .string(signature.text),
            "timestamp": .integer(signature.signedAt.milliseconds),
          ],
        ]
      }
      return .json(200, ["offers": .array(signed)])
    })

  /// RevenueCat's number for a request that the server cannot serve.
  private static let cannotServe: Int64 = 7226

  private static func unsigned(_ offer: JSONValue) -> JSONValue {
    [
      "key_id": "", "offer_id": offer["offer_id"] ?? "", "product_id": offer["product_id"] ?? "",
      "signature_error": [
        "code": .integer(cannotServe),
        "message": "This server has no key to sign promotional offers: start it with --app-store-key.",
      ],
    ]
  }
}
#endif
