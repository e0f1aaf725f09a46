#if Server
internal import GemLedger
internal import StoreBackend
internal import StoreReceipts
internal import SystemHTTP

/// Takes posts of purchases: verifies them or looks them up at the store, and quarantines those it cannot verify yet.
package struct ReceiptIntake: Sendable {
  /// The time for which an answer to an app waits for a store; the Android SDK has no time limit.
  package static let storeWait = Duration.seconds(3)

  let project: ServerProject
  /// The id of the posting key, for the limits of the quarantine.
  let keyID: String
  /// Whether the app is sold at Google Play: its SDKs post only the purchase token.
  let isPlay: Bool
  /// The app at its store, if the request names it.
  let packageName: String?
  /// The products that the request names; Google states the bought products.
  let productIDs: [String]
  /// The order that the purchase pays, if the app names it.
  let order: PurchaseCode?
  /// The transaction that the post names; nil if it names none.
  let transactionHint: String?
  /// The product of a purchase at the test store, which no evidence names.
  let testProduct: String?
  /// Whether the key belongs to the test store.
  let isOfTestStore: Bool
  /// Whether this is another try of a stored body, so that no client waits for the answer.
  let isRetry: Bool
  /// The start of the request: the answer waits for a store for a short time only.
  let begin = ContinuousClock.now

  /// - Parameter store: The store of the purchase; nil if only the key or a header shows it.
  init(_ call: Call, order: PurchaseCode? = nil, store: Store? = nil) {
    project = call.project
    self.order = order
    keyID = call.caller.keyID
    let platform = call.request.headers["X-Platform"]?.lowercased()
    isPlay = store.map { $0 == .google } ?? (call.caller.kind == .app(.google) || platform == "android")
    packageName = call.request.headers["X-Client-Bundle-ID"]
    let named = (call.body["product_ids"]?.array ?? []).compactMap(\.text)
    let isID = { (text: String) in (1...Limits.catalogIDBytes).contains(text.utf8.count) }
    productIDs = Array(named.filter(isID).prefix(PlayLookUp.productsMax))
    transactionHint = call.body["transaction_id"]?.text.flatMap {
      StoreKit1Receipt.isTransactionID($0) ? $0 : nil
    }
    isOfTestStore = call.caller.kind == .app(.test)
    testProduct = ([call.body["product_id"]?.text].compactMap(\.self) + named).first(where: isID)
    isRetry = false
  }

  /// Creates the intake for another try of a stored body.
  init(_ project: ServerProject, _ message: Quarantine.Message) {
    self.project = project
    keyID = ""
    isPlay = true
    packageName = message.packageName.isEmpty ? nil : message.packageName
    productIDs = message.productIDs
    order = message.order.isEmpty ? nil : PurchaseCode(unchecked: message.order)
    transactionHint = message.transaction.isEmpty ? nil : message.transaction
    isOfTestStore = !message.testProduct.isEmpty
    testProduct = message.testProduct
    isRetry = true
  }

  /// Credits the purchase that a post proves.
  ///
  /// - Throws: As ``verifiedAnswer(_:)``; `storage_unavailable` if the quarantine has no room for an unverified post.
  func answer(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    do throws(LedgerError) {
      return try await verifiedAnswer(post)
    } catch {
      guard error.isUndecided || error.isUnreadableHere else { throw error }
      var message = Quarantine.Message(.receipt, post.receipt.text)
      message.customer = post.customer.text
      message.source = post.source.rawValue
      message.packageName = packageName ?? ""
      message.order = order?.text ?? ""
      message.orderSearch = post.orderSearch == .none ? "" : post.orderSearch.rawValue
      message.productIDs = productIDs
      message.transaction = transactionHint ?? ""
      message.testProduct = isOfTestStore ? testProduct ?? "" : ""
      message.shortenStoreKit1()
      guard try project.quarantine.keep(message, from: keyID) else {
        throw LedgerError(
          .storageUnavailable, "There is no room for more purchases that cannot be verified yet. \(error.message)")
      }
      throw error
    }
  }

  /// Credits the purchase, as ``answer(_:)``, without the quarantine.
  ///
  /// - Throws: As `LocalBackend.post(_:)`; `order_not_found` for an unknown order. If the purchase is looked up:
  ///   `receipt_unverified` with the `check` `service_account`, or as `PlayNotices.credit(_:in:)`.
  func verifiedAnswer(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    if let evidence = AppStoreEvidence(post.receipt.text) { return try await answer(post, evidence) }
    if isPlay, Self.isPurchaseToken(post.receipt.text) {
      return try await lookedUp(try StoreTransactionID(post.receipt.text), productIDs, post)
    }
    do throws(LedgerError) {
      let answer = try await restoring(post) { (post) throws(LedgerError) in try await credited(post) }
      if answer.purchase.store == .google, let names = PlayReceipt.names(in: post.receipt.text) {
        project.playNotices?.complete(names, postedBy: post.source, in: project)
      }
      return answer
    } catch {
      // A genuine purchase of several products: its signed form has no quantities.
      guard error.text("check") == "line_items", project.playNotices != nil,
        let names = PlayReceipt.names(in: post.receipt.text)
      else { throw error }
      return try await lookedUp(names.token, names.productIDs, post)
    }
  }

  private func lookedUp(
    _ token: StoreTransactionID, _ productIDs: [String], _ post: ReceiptPost
  ) async throws(LedgerError) -> ReceiptAnswer {
    guard let notices = project.playNotices else { throw PlayNotices.missing }
    let posted = PlayNotices.TokenPost(
      token: token, post: post, order: order, packageName: packageName, productIDs: productIDs)
    let crediting = Task { () async -> Result<ReceiptAnswer, LedgerError> in
      do throws(LedgerError) { return .success(try await notices.credit(posted, in: project)) } catch {
        return .failure(error)
      }
    }
    // Requests to a slow store may wait for each other before they begin. After the limit the work continues.
    let answer = isRetry ? await crediting.value : await crediting.value(within: notices.wait)
    guard let answer else { throw .google("Play did not answer in time. The purchase is kept and looked up again.") }
    return try answer.get()
  }

  /// Returns whether the text is a bare purchase token: not a signed transaction (two dots) or purchase (an object).
  private static func isPurchaseToken(_ text: String) -> Bool {
    guard (1...Limits.storeTransactionIDBytes).contains(text.utf8.count), !text.hasPrefix("{") else { return false }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
    return text.utf8.count { $0 == UInt8(ascii: ".") } < 2 || !text.hasPrefix("eyJ")
  }
}

extension LedgerError {
  /// Whether another configuration, or another answer of the store, may still prove the evidence.
  var isUndecided: Bool {
    switch code {
    case .receiptUnverified: awaitsConfiguration
    case .bundleMismatch: text("check") != nil
    // Google may not know a new purchase yet.
    case .configuration, .backendUnreachable, .purchaseNotFound: true
    default: false
    }
  }
}

extension Task where Failure == Never {
  /// Returns the value, or nil if it is not ready in time, in which case the task continues.
  @discardableResult
  func value(within limit: Duration) async -> Success? {
    let (values, continuation) = AsyncStream.makeStream(of: Success.self)
    Task<Void, Never> {
      continuation.yield(await value)
      continuation.finish()
    }
    let timer = Task<Void, Never> {
      do { try await Task<Never, Never>.sleep(for: limit) } catch {}
      continuation.finish()
    }
    defer { timer.cancel() }
    for await value in values { return value }
    return nil
  }
}
#endif
