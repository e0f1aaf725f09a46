#if Server
internal import GemLedger
internal import StoreBackend
internal import StoreReceipts
internal import SystemCrypto

// Purchases for which apps post only the token.
extension PlayNotices {
  /// A purchase token that an app posted.
  struct TokenPost: Sendable {
    let token: StoreTransactionID
    let post: ReceiptPost
    /// The order that the post names.
    var order: PurchaseCode?
    /// The app that the post names.
    var packageName: String?
    /// The products that the post names.
    var productIDs: [String] = []
  }

  /// Credits a purchase by its posted token, each of its products once, as Google states it.
  ///
  /// The line of the named order's product pays the order, or else the first line. The other lines are in the answer's
  /// `otherPurchases`.
  ///
  /// - Throws: `LedgerError` with `configuration` if no app is named; `bundle_mismatch`; those of
  ///   `PlayDeveloperAPI.purchase(_:)`; `validation_pending` before the payment; `receipt_revoked` if it was cancelled;
  ///   those of `LocalBackend.post(_:of:order:)` for the first line that is not credited.
  func credit(_ posted: TokenPost, in project: ServerProject) async throws(LedgerError) -> ReceiptAnswer {
    let packageName = try packageName(posted.packageName, in: project)
    let found = try await lookUp(
      PlayLookUp(
        packageName: packageName, token: posted.token, productIDs: posted.productIDs,
        first: try Self.call(for: posted.productIDs, in: project), askedAt: project.clock.now()), in: project)
    guard found.isPaid else { throw try await keep(unpaid: found, posted, in: project) }
    let place = Self.place(of: posted.order, in: found, project)
    let lines = found.transactions.enumerated().map { (place: $0.offset, stated: $0.element) }
    var post = posted.post
    let results = await LineResults(lines) { (line) throws(LedgerError) in
      let named = try Self.asReceiptsNameIt(line.stated, in: project) ?? line.stated
      let answer = try await project.backend.post(named, of: post, order: line.place == place ? posted.order : nil)
      // All products of a payment go to one customer, even if several users post it at once.
      if (try? answer.booking.customer.checkUsable()) != nil { post.customer = answer.booking.customer }
      return answer
    }
    complete(found, of: packageName, after: PlayCompletions.Cause(posted.post.source), in: project)
    var answers = try results.values()
    // Answer with the order's line if it was credited.
    var answer = answers.remove(at: posted.order == nil ? 0 : answers.firstIndex { $0.order != nil } ?? 0)
    answer.otherPurchases = answers.map(\.purchase)
    return answer
  }

  private func packageName(_ named: String?, in project: ServerProject) throws(LedgerError) -> String {
    let wanted = try names(of: project)
    let name = wanted.first { $0.hasBytes(of: named ?? "") } ?? (named == nil ? wanted.first : nil)
    if let name { return name }
    try check(named ?? "", of: project)
    throw LedgerError(.configuration, "Name the app at Google Play: bundle_id in the catalog's settings.")
  }

  /// Returns the call that the catalog's product types suggest.
  private static func call(for productIDs: [String], in project: ServerProject) throws(LedgerError) -> PlayLookUp.Call {
    guard !productIDs.isEmpty else { return .products }
    let known = try project.catalogs.current().catalog.products.filter { product in
      product.storeIDs[Store.google.description].map { id in
        productIDs.contains { $0.hasBytes(of: StoreTransaction.productID(atGoogle: id)) }
      } ?? false
    }
    return known.contains { $0.type.isSubscription } ? .subscriptions : .products
  }

  /// Stores an unpaid purchase, and returns the answer to the post.
  private func keep(
    unpaid found: PlayProductPurchase, _ posted: TokenPost, in project: ServerProject
  ) async throws(LedgerError) -> LedgerError {
    let place = Self.place(of: posted.order, in: found, project)
    for (index, unpaid) in found.unpaid.enumerated() {
      try await project.backend.keep(
        unpaid: unpaid, isDeclined: found.isCancelled, postedBy: posted.post.customer,
        order: index == place ? posted.order : nil)
    }
    guard found.isCancelled else {
      return LedgerError(
        .validationPending, "The purchase is not paid yet. Google Play reports the payment.",
        details: [.text("reason", "pending"), .integer("retry_after", 60)])
    }
    return LedgerError(.receiptRevoked, "The payment of this purchase was declined.")
  }

  /// Returns the index of the line with the order's product, or else of the first line.
  private static func place(of code: PurchaseCode?, in found: PlayProductPurchase, _ project: ServerProject) -> Int {
    // The backend refuses an unknown order.
    guard let code, let id = (try? project.backend.order(code))?.storeProductID else { return 0 }
    return found.lines.firstIndex { $0.transaction.storeProductID.hasBytes(of: id) } ?? 0
  }

  // MARK: Identity

  /// Looks a purchase up, and gives its products the same identities as all other look-ups of the token.
  ///
  /// `purchases.products` does not return a token's other products, and look-ups may name different products. The first
  /// look-up therefore stores in a document which product is identified by the token alone.
  ///
  /// - Throws: Errors of `PlayDeveloperAPI.purchase(_:)`, and of the storage.
  func lookUp(_ lookUp: PlayLookUp, in project: ServerProject) async throws(LedgerError) -> PlayProductPurchase {
    let found = try await api.purchase(lookUp)
    if let replaced = found.replacedToken {
      // Until the next renewal, the order is that of the replaced purchase, which was credited for it.
      return try found.identified { (transaction) throws(LedgerError) in
        var earlier = transaction
        earlier.id = replaced
        if try Self.known(earlier, in: project.ledger) != nil { transaction = earlier }
      }
    }
    guard found.isOfNamedProducts else { return found }
    let name = "play_token/" + Hex.text(TextDigest.sha256(of: lookUp.token.text))
    let content = try project.ledger.documents.content(of: name) {
      let only = found.lines.count == 1 ? found.lines.first?.transaction.storeProductID : nil
      return JSONValue.object(["alone": JSONValue(only)]).text()
    }
    let alone = (try? JSONValue.parse(content))?["alone"]?.text
    return try found.identified { (transaction) in
      transaction.isLineItem = alone.map { !$0.hasBytes(of: transaction.storeProductID) } ?? true
    }
  }

  /// Returns the transaction with the identity that the purchase's receipt has, so that it is not credited twice.
  ///
  /// Receipts do not mark test purchases, so the identity is under production. Returns nil for a test purchase
  /// without a posted receipt: the receipt credits it, by the rules for receipts.
  static func asReceiptsNameIt(
    _ stated: StoreTransaction, in project: ServerProject
  ) throws(LedgerError) -> StoreTransaction? {
    if let (named, _) = try known(stated, in: project.ledger) { return named }
    guard stated.environment != .production else { return stated }
    var transaction = stated
    if stated.reason == .renewal, let order = stated.orderID?.split(separator: "..").first {
      // A renewal has the environment of the subscription's first order.
      transaction.orderID = String(order)
      if let (first, _) = try known(transaction, in: project.ledger) {
        transaction = stated
        transaction.environment = first.environment
        return transaction
      }
      transaction.orderID = stated.orderID
    }
    transaction.environment = .production
    return transaction.revocation?.extent == .full ? transaction : nil
  }

  /// Returns the credit of a transaction, and the transaction with the credit's identity; nil without a credit.
  ///
  /// A product that was credited under the token alone keeps that identity, even if the token has other products.
  static func known(
    _ stated: StoreTransaction, in ledger: Ledger
  ) throws(LedgerError) -> (transaction: StoreTransaction, purchase: Purchase)? {
    // A purchase that was credited by its token alone is stored under the environment that Google states.
    let environments = stated.environment == .production ? [.production] : [stated.environment, .production]
    for environment in environments {
      for isLineItem in [stated.isLineItem, !stated.isLineItem] {
        var transaction = stated
        (transaction.environment, transaction.isLineItem) = (environment, isLineItem)
        let purchase = try ledger.purchase(
          store: .google, environment: environment, transactionID: transaction.creditID)
        guard let purchase, isLineItem == stated.isLineItem || purchase.isOfProduct(stated.storeProductID) else {
          continue
        }
        // Google states no date of a renewal: keep the date of the first look-up.
        if stated.productType.isSubscription { transaction.purchasedAt = purchase.purchasedAt }
        return (transaction, purchase)
      }
    }
    return nil
  }
}

extension Purchase {
  /// Whether it is of the product with this id at Google Play; the catalog may name a subscription without its plan.
  fileprivate func isOfProduct(_ id: String) -> Bool {
    storeProductID.map {
      StoreTransaction.productID(atGoogle: $0).hasBytes(of: StoreTransaction.productID(atGoogle: id))
    } ?? false
  }
}

/// The results for the products of a purchase; a failure of one product does not affect the others.
struct LineResults<Value: Sendable> {
  private let results: [Result<Value, LedgerError>]

  init<Line: Sendable>(
    _ lines: [Line], _ work: (Line) async throws(LedgerError) -> Value
  ) async {
    var results: [Result<Value, LedgerError>] = []
    for line in lines {
      do throws(LedgerError) { results.append(.success(try await work(line))) } catch {
        results.append(.failure(error))
      }
    }
    self.results = results
  }

  /// Returns the values of the successful lines.
  ///
  /// - Throws: The first error of a line that may still be credited; if no line succeeded, the first error.
  func values() throws(LedgerError) -> [Value] {
    var (values, errors): ([Value], [LedgerError]) = ([], [])
    for result in results {
      switch result {
      case .success(let value): values.append(value)
      case .failure(let error): errors.append(error)
      }
    }
    if let open = errors.first(where: { $0.code != .receiptRevoked }) { throw open }
    if values.isEmpty, let first = errors.first { throw first }
    return values
  }
}
#endif
