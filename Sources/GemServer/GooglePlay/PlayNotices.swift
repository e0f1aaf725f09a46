#if Server
package import GemLedger
internal import StoreBackend
internal import StoreReceipts
internal import SystemCrypto

/// Applies Google Play's developer notifications: each is a hint to look the purchase up at Google.
package struct PlayNotices: Sendable {
  /// What became of a notification.
  enum Outcome: Hashable, Sendable {
    /// Google's answer was applied.
    case applied(NoticeAnswer.Outcome)
    /// Nobody has paid yet.
    case pending
    /// Nobody will pay: the payment was declined, or given up while it was pending.
    case declined
    /// It is about no one-time purchase.
    case none
    /// It can never be applied, so Pub/Sub need not send it again.
    case refused(LedgerError.Code)
  }

  private let api: PlayDeveloperAPI
  private let packageName: String?
  private let pushToken: String?
  private let log: @Sendable (_ message: String, _ facts: [String: JSONValue]) -> Void

  /// - Parameters:
  ///   - api: Says what was bought.
  ///   - packageName: The app; nil for the one that the project's catalog or policy names.
  ///   - pushToken: What the address of the push has to have as `token`; nil for nothing.
  ///   - log: Told of notifications that are not applied.
  package init(
    api: PlayDeveloperAPI, packageName: String? = nil, pushToken: String? = nil,
    log: @escaping @Sendable (_ message: String, _ facts: [String: JSONValue]) -> Void = { _, _ in }
  ) {
    self.api = api
    self.packageName = packageName
    self.pushToken = pushToken
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
  /// - Throws: `LedgerError` where the same request may work later, and for bodies that Pub/Sub does not send.
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
    let token: StoreTransactionID
    switch notice.event {
    case .oneTimePurchased(let purchase, _), .oneTimeCanceled(let purchase, _), .voided(let purchase, _, false, _):
      token = purchase
    case .refundReview:
      log(
        "Google Play waits up to 24 hours for a word on a refund.", ["message_id": .string(notice.messageID)])
      return .none
    case .voided, .subscription, .test, .other: return .none
    }
    try check(notice.packageName, of: project)
    // The state may be newer than this instant, never older: the notice of a later refund is looked up later.
    let request = PlayProductPurchase.Request(
      packageName: notice.packageName, token: token, fetchedAt: project.clock.now())
    let purchase = try await api.purchase(request)
    guard let stated = purchase.transaction else {
      if let unpaid = try purchase.unpaid.flatMap({ (unpaid) throws(LedgerError) in
        try Self.asReceiptsNameIt(unpaid, in: project)
      }) {
        try await project.backend.keep(unpaid: unpaid, isDeclined: purchase.isCancelled, postedBy: nil)
      }
      return purchase.isCancelled ? .declined : .pending
    }
    if case .voided = notice.event, stated.revocation == nil {
      // The list of voided purchases is ahead of the purchase's state: it is asked for again.
      try keepVoid(notice, in: project)
    }
    guard let transaction = try Self.asReceiptsNameIt(stated, in: project) else { return .applied(.unattributed) }
    let outcome = try await project.backend.apply(state: transaction).outcome
    if purchase.acknowledgeBy != nil, outcome != .unattributed, outcome != .kept, outcome != .held {
      try await acknowledge(notice, transaction)
    }
    return .applied(outcome)
  }

  private func keepVoid(_ notice: PlayNotification, in project: ServerProject) throws(LedgerError) {
    guard case .voided(let token, _, _, _) = notice.event else { return }
    var message = Quarantine.Message(.googleVoid, token.text)
    message.packageName = notice.packageName
    guard try project.quarantine.keep(message, from: "google") else {
      throw LedgerError(.storageUnavailable, "There is no room to keep a voided purchase; it is told again.")
    }
  }

  /// Looks a voided purchase up again.
  ///
  /// - Returns: Whether its state shows the refund now, which was applied.
  func retryVoid(
    _ token: StoreTransactionID, packageName: String, in project: ServerProject
  ) async throws(LedgerError) -> Bool {
    let request = PlayProductPurchase.Request(
      packageName: packageName, token: token, fetchedAt: project.clock.now())
    guard let stated = try await api.purchase(request).transaction, stated.revocation != nil else { return false }
    guard let transaction = try Self.asReceiptsNameIt(stated, in: project) else { return true }
    _ = try await project.backend.apply(state: transaction)
    return true
  }

  /// Credits a purchase whose token alone an app posts, by what Google says of it.
  ///
  /// - Throws: `LedgerError` with `configuration` where no app is named, `bundle_mismatch`, those of
  ///   `PlayDeveloperAPI.purchase(_:)`, `validation_pending` while nobody has paid, `receipt_revoked` where nobody
  ///   will, and those of `LocalBackend.post(_:of:order:)`.
  func credit(
    _ post: ReceiptPost, order: PurchaseCode?, packageName named: String?, in project: ServerProject
  ) async throws(LedgerError) -> ReceiptAnswer {
    let wanted = try names(of: project)
    guard let name = wanted.first(where: { $0.hasBytes(of: named ?? "") }) ?? (named == nil ? wanted.first : nil) else {
      try check(named ?? "", of: project)
      throw LedgerError(.configuration, "Name the app at Google Play: bundle_id in the catalog's settings.")
    }
    let request = PlayProductPurchase.Request(
      packageName: name, token: try StoreTransactionID(post.receipt.text), fetchedAt: project.clock.now())
    let purchase = try await api.purchase(request)
    guard let stated = purchase.transaction else {
      if let unpaid = purchase.unpaid {
        try await project.backend.keep(
          unpaid: unpaid, isDeclined: purchase.isCancelled, postedBy: post.customer, order: order)
      }
      guard purchase.isCancelled else {
        throw LedgerError(
          .validationPending, "Nobody has paid for this purchase yet; Google Play tells when that is done.",
          details: [.text("reason", "pending"), .integer("retry_after", 60)])
      }
      throw LedgerError(.receiptRevoked, "The payment of this purchase was declined.")
    }
    let transaction = try Self.asReceiptsNameIt(stated, in: project) ?? stated
    return try await project.backend.post(transaction, of: post, order: order)
  }

  /// Keeps a credited purchase from being refunded three days after the payment, should its app not come back.
  ///
  /// The app still finds it, and consumes it.
  private func acknowledge(
    _ notice: PlayNotification, _ transaction: StoreTransaction
  ) async throws(LedgerError) {
    do throws(LedgerError) {
      try await api.acknowledge(transaction.id, product: transaction.storeProductID, of: notice.packageName)
    } catch {
      guard !error.mayWorkLater else { throw error }
      log(
        "A credited purchase of Google Play was not acknowledged.",
        ["message_id": .string(notice.messageID), "reason": .string(error.message)])
    }
  }

  /// A service account sees all apps of a developer, so the app has to be named somewhere.
  private func check(_ name: String, of project: ServerProject) throws(LedgerError) {
    let wanted = try names(of: project)
    guard !wanted.isEmpty else {
      throw LedgerError(.configuration, "Name the app at Google Play: bundle_id in the catalog's settings.")
    }
    guard wanted.contains(where: { $0.hasBytes(of: name) }) else {
      throw LedgerError(.bundleMismatch, "The notification is for the app \"\(name.prefix(100))\".")
    }
  }

  /// The apps that the project credits.
  private func names(of project: ServerProject) throws(LedgerError) -> [String] {
    if let packageName { return [packageName] }
    if let names = project.backend.policy.bundleIDs { return names.sorted() }
    return try project.catalogs.current().catalog.settings.bundleID.map { [$0] } ?? []
  }

  /// The transaction as the receipt of the same purchase names it: under production, since receipts do not tell tests.
  ///
  /// Under two names it would be credited twice. Nil for a tester's purchase that no receipt has been posted of: the
  /// receipt credits it, by the rules for receipts.
  private static func asReceiptsNameIt(
    _ stated: StoreTransaction, in project: ServerProject
  ) throws(LedgerError) -> StoreTransaction? {
    guard stated.environment != .production else { return stated }
    // One whose token was posted alone is known by what Google says of it.
    let isKnownAsStated =
      try project.ledger.purchase(
        store: .google, environment: stated.environment, transactionID: stated.creditID) != nil
    if isKnownAsStated { return stated }
    var transaction = stated
    transaction.environment = .production
    let isKnown =
      try project.ledger.purchase(store: .google, environment: .production, transactionID: transaction.creditID) != nil
    return isKnown || transaction.revocation?.extent == .full ? transaction : nil
  }
}

extension LedgerError {
  /// Whether the same notification may be applied another time.
  fileprivate var mayWorkLater: Bool {
    let status = code.kind.row.httpStatus
    let others: [Code] = [.configuration, .validationPending, .receiptFutureDated]
    return status >= 500 || status == 423 || status == 429 || others.contains(code)
  }
}
#endif
