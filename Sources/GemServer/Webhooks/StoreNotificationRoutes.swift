#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// Notifications that the stores send to the server.
enum StoreNotificationRoutes {
  static var all: [Route] { [apple, google] }

  /// App Store Server Notifications V2: the address to configure in App Store Connect.
  ///
  /// It needs no key, since the App Store sends none: the signature in the body is the proof. After any status but 2xx
  /// the App Store repeats the notification for three days.
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

  /// Google Play's developer notifications: the address to configure in a push subscription of Pub/Sub.
  ///
  /// A notification is unsigned, so the server looks the purchase up at Google and applies the result. Pub/Sub repeats
  /// it until it gets a 2xx, which is therefore also the answer to a notification that can never be applied.
  private static var google: Route {
    Route(
      method: "POST", path: "/v1/incoming-webhooks/google/{project_id}", name: "receive_google_play_notification",
      summary: "Takes a notification of Google Play, looks the purchase up at Google, and applies the result.",
      access: .open,
      query: [Parameter("token", .text(1...1000), "The push token that the server was configured with.")],
      body: .object([
        Schema.Field(
          "message", .map(.anything, 0...100), "The message, with the notification in base64 as data.",
          isRequired: true),
        Schema.Field("subscription", .text(), "The name of the subscription."),
        Schema.Field("deliveryAttempt", .integer(), "The number of delivery attempts."),
      ]),
      answers: [200: googleAnswer], work: .later(applyGoogle))
  }

  private static let answer = Schema.object([
    Schema.Field("object", .word(["store_notification"]), isRequired: true),
    Schema.Field(
      "outcome", .text(),
      "credited, refunded, refund_reversed, kept, unchanged, unattributed, held; none if it concerns no "
        + "transaction, quarantined if it cannot be verified yet.",
      isRequired: true),
    Schema.Field("code", .text(), "The reason of the quarantine."),
  ])

  private static let googleAnswer = Schema.object([
    Schema.Field("object", .word(["store_notification"]), isRequired: true),
    Schema.Field(
      "outcome", .text(),
      "As for the App Store; pending before the payment, declined if the payment failed, refused if it can never "
        + "be applied.",
      isRequired: true),
    Schema.Field("code", .nullable(.text()), "The reason of the refusal.", isRequired: true),
  ])

  @Sendable
  private static func applyApple(_ call: Call) async throws(LedgerError) -> HTTPResponse {
    let text = call.body["signedPayload"]?.text ?? ""
    let notice: NoticeAnswer?
    do throws(LedgerError) { notice = try await call.project.backend.apply(signedNotice: text) } catch {
      guard error.isUndecided else { throw error }
      return try kept(.appleNotice, text, error, call)
    }
    return .json(
      200,
      [
        "object": "store_notification", "outcome": .string(notice?.outcome.rawValue ?? "none"),
      ])
  }

  /// Quarantines a notification that cannot be verified yet, so that the store need not repeat it.
  private static func kept(
    _ kind: Quarantine.Kind, _ text: String, _ error: LedgerError, _ call: Call
  ) throws(LedgerError) -> HTTPResponse {
    guard try call.project.quarantine.keep(Quarantine.Message(kind, text), from: kind.rawValue) else {
      throw LedgerError(.storageUnavailable, "There is no room for more notifications that cannot be verified yet.")
    }
    return .json(
      200, ["object": "store_notification", "outcome": "quarantined", "code": .string(error.code.description)])
  }

  @Sendable
  private static func applyGoogle(_ call: Call) async throws(LedgerError) -> HTTPResponse {
    guard let notices = call.project.playNotices else {
      return try kept(.googleNotice, String(decoding: call.request.body, as: UTF8.self), PlayNotices.missing, call)
    }
    try notices.check(pushToken: call.query["token"]?.text)
    let applied: PlayNotices.Outcome
    do throws(LedgerError) { applied = try await notices.apply(call.request.body, to: call.project) } catch {
      // A new purchase may not be visible to the API yet.
      guard error.code == .purchaseNotFound else { throw error }
      return try kept(.googleNotice, String(decoding: call.request.body, as: UTF8.self), error, call)
    }
    let (outcome, code): (String, String?) =
      switch applied {
      case .applied(let outcome): (outcome.rawValue, nil)
      case .pending: ("pending", nil)
      case .declined: ("declined", nil)
      case .none: ("none", nil)
      case .refused(let code): ("refused", code.description)
      }
    return .json(
      200, ["object": "store_notification", "outcome": .string(outcome), "code": JSONValue(code)])
  }
}
#endif
