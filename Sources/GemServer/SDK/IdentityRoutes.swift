#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// Logins, aliases and restores.
enum IdentityRoutes {
  static var all: [Route] { [identify, previewIdentify, alias, restore, previewRestore] }

  private static let identifyBody = Schema.object([
    .always("app_user_id", .appUserID, "The id until now."),
    .always("new_app_user_id", .appUserID, "The id that signs in."), newSessionToken,
  ])

  private static let newSessionToken = Schema.Field(
    "new_session_token", .nullable(.text()), "A session token of the new id, which proves that it may be added.")

  private static let identifyAnswer = Schema.object(
    Schema.customerInfoFields + [.always("created", .boolean, "Whether the id is new.")])

  private static let identify = Route.sdk(
    "POST", "/v1/subscribers/identify", "identify_subscriber",
    "Signs in; merges a customer with only anonymous ids into the id's customer.", body: identifyBody,
    answers: [200: identifyAnswer, 201: identifyAnswer],
    work: .later { (call) async throws(LedgerError) in
      let (current, id) = try call.login()
      let decision = try call.right(to: .logIn, current, joining: id).decision
      do throws(LedgerError) {
        let registration = try await call.project.backend.logIn(id, from: current, isProven: decision == .allowed)
        return try await response(registration, call)
      } catch {
        throw error.needingProof
      }
    })

  private static let previewIdentify = Route.sdk(
    "POST", "/v1/subscribers/identify/preview", "preview_identify_subscriber",
    "Previews a sign-in: the customers that would be merged, and their balances. Changes nothing.", body: identifyBody,
    answers: [200: IdentityPreview.schema],
    work: .later { (call) async throws(LedgerError) in
      let (current, id) = try call.login()
      let decision = try call.right(to: .logIn, current, joining: id).decision
      do throws(LedgerError) {
        let isProven = decision == .allowed
        return .json(200, try call.project.backend.previewLogIn(id, from: current, isProven: isProven).wire)
      } catch {
        throw error.needingProof
      }
    })

  private static let alias = Route.sdk(
    "POST", "/v1/subscribers/{app_user_id}/alias", "create_alias",
    "Adds an id to the customer, and merges the two customers if both exist.",
    body: .object([.always("new_app_user_id", .appUserID), newSessionToken]),
    answers: [200: identifyAnswer, 201: identifyAnswer],
    work: .later { (call) async throws(LedgerError) in
      let customer = try CustomerID(call.name("app_user_id"))
      return try await response(
        try await createAlias(call.wire["new_app_user_id"].identifier(), of: customer, call), call)
    })

  private static func createAlias(
    _ alias: CustomerID, of customer: CustomerID, _ call: Call
  ) async throws(LedgerError) -> Registration {
    let backend = call.project.backend
    let (decision, facts) = try call.right(to: .createAlias, customer, joining: alias)
    let isCustomerAnonymous = facts.customer.kind.isAnonymous
    guard facts.caller != .secretKey, isCustomerAnonymous || facts.other?.kind.isAnonymous == true else {
      return try await backend.createAlias(alias, of: customer)
    }
    do throws(LedgerError) {
      return try await backend.createAlias(
        alias, of: customer, anonymous: isCustomerAnonymous ? customer : alias, isProven: decision == .allowed)
    } catch {
      // If the anonymous customer signed in meanwhile, check the rights again.
      if error.code == .conditionFailed { _ = try call.right(to: .createAlias, customer, joining: alias) }
      throw error.needingProof
    }
  }

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
      let (customer, backend) = (try CustomerID(call.name("app_user_id")), call.project.backend)
      let decision = try call.right(to: .restore, customer).decision
      let sharing = try call.wire["sharing"].word(EntitlementSharing.init(name:))
      let receipts = try call.wire.receipts()
      let record =
        decision == .allowed
        ? try await backend.restore(receipts, customer: customer, sharing: sharing)
        : try await backend.restoreEntitlements(receipts, customer: customer, sharing: sharing)
      let document = SubscriberDocument(record: record, subscriptions: try backend.subscriptions(of: customer))
      return .json(200, .object(document.members))
    })

  private static let previewRestore = Route.sdk(
    "POST", "/v1/subscribers/{app_user_id}/restore/preview", "preview_restore_purchases",
    "Previews a restore. Changes nothing.", body: restoreBody, answers: [200: IdentityPreview.schema],
    work: .later { (call) async throws(LedgerError) in
      let (customer, backend) = (try CustomerID(call.name("app_user_id")), call.project.backend)
      let decision = try call.right(to: .restore, customer).decision
      let sharing = try call.wire["sharing"].word(EntitlementSharing.init(name:))
      let receipts = try call.wire.receipts()
      let preview =
        decision == .allowed
        ? try await backend.previewRestore(receipts, customer: customer, sharing: sharing)
        : try backend.previewRestoreEntitlements(receipts, customer: customer, sharing: sharing)
      return .json(200, preview.wire)
    })
}

extension Call {
  fileprivate func login() throws(LedgerError) -> (current: CustomerID, id: CustomerID) {
    (try wire["app_user_id"].identifier(), try wire["new_app_user_id"].identifier())
  }
}

extension WireObject {
  fileprivate func receipts() throws(LedgerError) -> [StoreReceipt] {
    try self["receipts"].elements().map { StoreReceipt($0.value?.text ?? "") }
  }
}
#endif
