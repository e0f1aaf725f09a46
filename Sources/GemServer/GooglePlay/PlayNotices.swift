#if Server
package import GemLedger
internal import StoreBackend
internal import StoreReceipts
internal import SystemCrypto

/// Applies Google Play's developer notifications: each triggers a look-up of the purchase at Google.
package struct PlayNotices: Sendable {
  /// The result of a notification.
  enum Outcome: Hashable, Sendable {
    /// Google's answer was applied.
    case applied(NoticeAnswer.Outcome)
    /// The purchase is not paid yet.
    case pending
    /// The purchase will not be paid: the payment was declined, or cancelled while it was pending.
    case declined
    /// The notification does not concern a payment.
    case none
    /// The notification can never be applied, so Pub/Sub need not repeat it.
    case refused(LedgerError.Code)
  }

  /// The error for purchases that only Google can verify, in a server without a service account.
  static let missing = LedgerError(
    .receiptUnverified,
    "Google Play cannot be asked: the server has no service account. Start it with --google-service-account; purchases "
      + "received before are credited then.", details: [.text("check", "service_account")])

  let api: PlayDeveloperAPI
  private let packageName: String?
  private let pushToken: String?
  /// The time for which an answer to an app waits for Google.
  let wait: Duration
  let log: @Sendable (_ message: String, _ facts: [String: JSONValue]) -> Void

  /// - Parameters:
  ///   - api: Looks purchases up.
  ///   - packageName: The app; nil for the app in the project's catalog or policy.
  ///   - pushToken: The required `token` in the push address; nil for none.
  ///   - wait: The time for which an answer to an app waits for Google.
  ///   - log: Receives notifications that are not applied.
  package init(
    api: PlayDeveloperAPI, packageName: String? = nil, pushToken: String? = nil,
    wait: Duration = ReceiptIntake.storeWait,
    log: @escaping @Sendable (_ message: String, _ facts: [String: JSONValue]) -> Void = { _, _ in }
  ) {
    self.api = api
    self.packageName = packageName
    self.pushToken = pushToken
    self.wait = wait
    self.log = log
  }

  /// - Throws: `LedgerError` with `unauthenticated`.
  func check(pushToken given: String?) throws(LedgerError) {
    guard let pushToken else { return }
    guard let given, Crypto.areEqual(Array(given.utf8), Array(pushToken.utf8)) else {
      throw LedgerError(.unauthenticated, "The push subscription's address lacks the right token.")
    }
  }

  /// Applies the body of a push request.
  ///
  /// - Throws: `LedgerError` if the request may succeed later, and for bodies that Pub/Sub does not send.
  func apply(_ body: [UInt8], to project: ServerProject) async throws(LedgerError) -> Outcome {
    var messageID: String?
    do throws(LedgerError) {
      let notice = try PlayNotification(body: body)
      messageID = notice.messageID
      return try await apply(notice, to: project)
    } catch {
      guard !error.mayWorkLater, error.text("check") != "structure" else { throw error }
      log(
        "A notification of Google Play was not applied.",
        [
          "message_id": JSONValue(messageID), "code": .string(error.code.description), "reason": .string(error.message),
        ])
      return .refused(error.code)
    }
  }

  private func apply(
    _ notice: PlayNotification, to project: ServerProject
  ) async throws(LedgerError) -> Outcome {
    if case .refundReview = notice.event {
      log("Google Play waits up to 24 hours for a word on a refund.", ["message_id": .string(notice.messageID)])
    }
    guard notice.subject != nil || notice.isOfRefund else { return .none }
    try check(notice.packageName, of: project)
    // The list of voided purchases is the proof, and is more current than the purchase's state.
    if notice.isOfRefund { try readVoidsSoon(of: notice.packageName, in: project) }
    guard let subject = notice.subject else { return .none }
    // The state may be newer than this instant, never older; a later refund has a later notification.
    let found = try await lookUp(
      PlayLookUp(
        packageName: notice.packageName, token: subject.token, productIDs: subject.productID.map { [$0] } ?? [],
        first: subject.call, askedAt: project.clock.now()), in: project)
    guard found.isPaid else {
      for unpaid in found.unpaid {
        guard let named = try Self.asReceiptsNameIt(unpaid, in: project) else { continue }
        try await project.backend.keep(unpaid: named, isDeclined: found.isCancelled, postedBy: nil)
      }
      return found.isCancelled ? .declined : .pending
    }
    let outcomes = try await LineResults(found.transactions) { (stated) throws(LedgerError) in
      guard let named = try Self.asReceiptsNameIt(stated, in: project) else { return NoticeAnswer.Outcome.unattributed }
      return try await project.backend.apply(state: named).outcome
    }.values()
    complete(found, of: notice.packageName, after: .notice, in: project)
    return .applied(outcomes.first { $0 != .unchanged } ?? .unchanged)
  }

  /// Checks that the project credits the app; a service account sees all apps of a developer.
  func check(_ name: String, of project: ServerProject) throws(LedgerError) {
    let wanted = try names(of: project)
    guard !wanted.isEmpty else {
      throw LedgerError(.configuration, "Name the app at Google Play: bundle_id in the catalog's settings.")
    }
    guard wanted.contains(where: { $0.hasBytes(of: name) }) else {
      throw LedgerError(
        .bundleMismatch, "The purchase is of the app \"\(name.prefix(100))\", which this project does not credit.",
        details: [.text("check", "bundle")])
    }
  }

  /// The apps that the project credits.
  func names(of project: ServerProject) throws(LedgerError) -> [String] {
    if let packageName { return [packageName] }
    if let names = project.backend.policy.bundleIDs { return names.sorted() }
    return try project.catalogs.current().catalog.settings.bundleID.map { [$0] } ?? []
  }
}

extension PlayNotification {
  /// Whether the notification reports a voided order or a revoked subscription.
  fileprivate var isOfRefund: Bool {
    switch event {
    case .voided, .subscription(_, _, 12): true
    default: false
    }
  }

  /// The purchase to look up, and the call for it; nil if the purchase's state does not show the event.
  fileprivate var subject: (token: StoreTransactionID, productID: String?, call: PlayLookUp.Call)? {
    switch event {
    case .oneTimePurchased(let token, let product), .oneTimeCanceled(let token, let product):
      (token, product, .products)
    case .voided(let token, _, false, _): (token, nil, .products)
    // Recovered, renewed, purchased, restarted; 20: a pending purchase was cancelled before its payment.
    case .subscription(let token, let product, let type) where [1, 2, 4, 7, 20].contains(type):
      (token, product, .subscriptions)
    case .refundReview, .voided, .subscription, .test, .other: nil
    }
  }
}

extension LedgerError {
  /// Whether the notification may be applied later.
  fileprivate var mayWorkLater: Bool {
    let status = code.kind.row.httpStatus
    // Google may not know a new purchase yet.
    let others: [Code] = [.configuration, .validationPending, .receiptFutureDated, .purchaseNotFound]
    return status >= 500 || status == 423 || status == 429 || others.contains(code)
  }
}
#endif
