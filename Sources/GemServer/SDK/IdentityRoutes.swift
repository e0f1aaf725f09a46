#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// Signing in, more ids, and restores.
enum IdentityRoutes {
  static var all: [Route] { [identify, previewIdentify, alias, restore, previewRestore] }

  private static let identifyBody = Schema.object([
    .always("app_user_id", .appUserID, "The id until now."),
    .always("new_app_user_id", .appUserID, "The id that signs in."),
  ])

  private static let identifyAnswer = Schema.object(
    Schema.customerInfoFields + [.always("created", .boolean, "Whether the id is new.")])

  private static let identify = Route.sdk(
    "POST", "/v1/subscribers/identify", "identify_subscriber",
    "Signs in; merges a customer with only anonymous ids into the id's customer.", body: identifyBody,
    answers: [200: identifyAnswer, 201: identifyAnswer],
    work: .later { (call) async throws(LedgerError) in
      let current = try call.permitted(call.wire.identifier("app_user_id"))
      let registration = try await call.project.backend.logIn(
        call.wire.identifier("new_app_user_id"), from: current)
      return try await response(registration, call)
    })

  private static let previewIdentify = Route.sdk(
    "POST", "/v1/subscribers/identify/preview", "preview_identify_subscriber",
    "Says which customers a sign-in would make one, and what would move; does nothing.", body: identifyBody,
    answers: [200: .identityPreview],
    work: .later { (call) async throws(LedgerError) in
      let current = try call.permitted(call.wire.identifier("app_user_id"))
      return .json(
        200, try await call.project.backend.previewLogIn(call.wire.identifier("new_app_user_id"), from: current).wire)
    })

  private static let alias = Route.sdk(
    "POST", "/v1/subscribers/{app_user_id}/alias", "create_alias",
    "Makes an id another one of the customer, and merges the two customers where both exist.",
    body: .object([.always("new_app_user_id", .appUserID)]), answers: [200: identifyAnswer, 201: identifyAnswer],
    work: .later { (call) async throws(LedgerError) in
      let (customer, backend) = (try call.subscriber(), call.project.backend)
      // The new id could spend what the customer has.
      let what = "An alias of a customer who has signed in"
      try call.checkMayGive(from: customer, what)
      let alias: CustomerID = try call.wire.identifier("new_app_user_id")
      guard call.provesNobody else { return try await response(backend.createAlias(alias, of: customer), call) }
      do throws(LedgerError) {
        return try await response(backend.createAlias(alias, ofAnonymous: customer), call)
      } catch  where error.code == .conditionFailed {
        throw Call.needsSession(what)
      }
    })

  private static func response(
    _ registration: Registration, _ call: Call
  ) async throws(LedgerError) -> HTTPResponse {
    let backend = call.project.backend
    let document = SubscriberDocument(
      record: try await backend.customer(registration.customer),
      subscriptions: try backend.subscriptions(of: registration.customer))
    var members = document.members
    members["created"] = .bool(registration.isCreated)
    return .json(registration.isCreated ? 201 : 200, .object(members))
  }

  private static let restoreBody = Schema.object([
    .always("receipts", .list(.text()), "All receipts of the store account."),
    .always(
      "sharing", .word(EntitlementSharing.all.map(\.name)), "The rule for purchases of another customer."),
  ])

  private static let restore = Route.sdk(
    "POST", "/v1/subscribers/{app_user_id}/restore", "restore_purchases",
    "Restores a store account's purchases; no consumable is credited again.", body: restoreBody,
    answers: [200: .customerInfo],
    work: .later { (call) async throws(LedgerError) in
      let (customer, backend) = (try call.subscriber(), call.project.backend)
      let sharing = try call.wire.word("sharing", EntitlementSharing.init(name:))
      // Under this rule two customers become one, and the receipts' owner gets what the other one has.
      if sharing == .alias { try call.checkMayGive(from: customer, "A restore that merges customers") }
      // An anonymous customer gets the entitlement alone, and so does one who signs in meanwhile.
      let rule = sharing == .alias && call.provesNobody ? .transfer : sharing
      let record = try await backend.restore(call.wire.receipts(), customer: customer, sharing: rule)
      let document = SubscriberDocument(record: record, subscriptions: try backend.subscriptions(of: customer))
      return .json(200, .object(document.members))
    })

  private static let previewRestore = Route.sdk(
    "POST", "/v1/subscribers/{app_user_id}/restore/preview", "preview_restore_purchases",
    "Says what a restore would do; does nothing.", body: restoreBody, answers: [200: .identityPreview],
    work: .later { (call) async throws(LedgerError) in
      let sharing = try call.wire.word("sharing", EntitlementSharing.init(name:))
      let preview = try await call.project.backend.previewRestore(
        call.wire.receipts(), customer: call.subscriber(), sharing: sharing)
      return .json(200, preview.wire)
    })
}

extension WireObject {
  fileprivate func receipts() throws(LedgerError) -> [StoreReceipt] {
    try elements("receipts") { (value, _) throws(LedgerError) in StoreReceipt(value.text ?? "") }
  }
}
#endif
