#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// What the stores tell the server by themselves.
enum StoreNotificationRoutes {
  static var all: [Route] { [apple] }

  /// App Store Server Notifications V2: the address to name in App Store Connect.
  ///
  /// It takes no key, since the App Store sends none: the signature in the body is the proof. Any status but 2xx makes
  /// the App Store send the notification again, for three days.
  private static var apple: Route {
    Route(
      method: "POST", path: "/v1/incoming-webhooks/apple/{project_id}", name: "receive_app_store_notification",
      summary: "Takes a notification of the App Store, verifies it, and applies refunds, renewals and purchases.",
      access: .open,
      body: .object([
        Schema.Field(
          "signedPayload", .text(1...131_072), "The notification, as the App Store signed it.", isRequired: true)
      ]),
      answers: [200: answer], work: .later(applyApple))
  }

  private static let answer = Schema.object([
    Schema.Field("object", .word(["store_notification"]), isRequired: true),
    Schema.Field(
      "outcome", .text(),
      "credited, refunded, refund_reversed, kept, unchanged, unattributed; none where it is about no transaction.",
      isRequired: true),
  ])

  @Sendable
  private static func applyApple(_ call: Call) async throws(LedgerError) -> HTTPResponse {
    let notice = try await call.project.backend.apply(signedNotice: call.body["signedPayload"]?.text ?? "")
    return .json(
      200,
      [
        "object": "store_notification", "outcome": .string(notice?.outcome.rawValue ?? "none"),
      ])
  }
}
#endif
