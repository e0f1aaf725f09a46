#if Server
internal import GemLedger
internal import StoreBackend
internal import StoreReceipts
internal import SystemCrypto
internal import SystemHTTP

/// An order that Google Play lists as voided: refunded, charged back or revoked.
struct PlayVoid: Hashable, Sendable {
  let token: StoreTransactionID
  let orderID: String?
  let voidedAt: Timestamp
  /// The units of a refund by quantity; nil if the whole order was refunded.
  let units: Int64?
}

extension PlayDeveloperAPI {
  /// The maximum number of pages of a list; a list without an end is an error of the server.
  private static let pagesMax = 1000
  /// Most voided orders of a page; an entry has a few hundred bytes, and tokens may have 4,096.
  private static let entriesPerPage = 100
  /// The longest page, in bytes.
  private static let pageByteCountMax = 1024 * 1024

  /// Returns the voided orders of an app, in full and by quantity, of products and of subscriptions.
  ///
  /// - Parameter start: The time at which Google recorded the first voided order; at most 30 days ago.
  /// - Throws: `LedgerError` with `backend_unreachable`.
  func voids(of packageName: String, since start: Timestamp) async throws(LedgerError) -> [PlayVoid] {
    var (voids, page): ([PlayVoid], String?) = ([], nil)
    for _ in 0..<Self.pagesMax {
      let next = page.map { "&token=\(Percent.encoded($0))" } ?? ""
      let query = "startTime=\(start.milliseconds)&type=1&includeQuantityBasedPartialRefund=true"
      let size = "&maxResults=\(Self.entriesPerPage)\(next)"
      let reply = try await get(
        "voidedpurchases?\(query)\(size)", of: packageName, bodyByteCountMax: Self.pageByteCountMax)
      guard reply.isSuccess else {
        let refusal = PlayRefusal(reply).error
        throw refusal.code == .purchaseNotFound
          ? .google("Play does not list voided purchases: \(reply.status)") : refusal
      }
      guard let list = reply.isBodyCut ? nil : reply.json?.object else {
        throw .google("Play lists voided purchases in a form that is not known here")
      }
      voids += (list["voidedPurchases"]?.array ?? []).compactMap(PlayVoid.init)
      page = list["tokenPagination"]?["nextPageToken"]?.text
      if page == nil { return voids }
    }
    throw .google("Play's list of voided purchases does not end")
  }
}

extension PlayVoid {
  /// Returns nil for an entry that names no purchase.
  fileprivate init?(_ entry: JSONValue) {
    guard let token = try? StoreTransactionID(entry["purchaseToken"]?.text ?? ""),
      let voidedAt = entry["voidedTimeMillis"].flatMap({ $0.text.flatMap(Int64.init) ?? $0.integer })
    else { return nil }
    self.init(
      token: token, orderID: entry["orderId"]?.text, voidedAt: Timestamp(milliseconds: voidedAt),
      units: entry["voidedQuantity"].map { max(1, $0.integer ?? 1) })
  }
}

/// The position in an app's list of voided purchases, shared by all servers of a ledger.
private struct PlayVoidCursor {
  /// The time for which Google lists a voided purchase, in milliseconds.
  private static let listed: Int64 = 30 * 86_400_000
  /// The overlap of two reads, in milliseconds: Google may list a purchase later than its date.
  private static let overlap: Int64 = 86_400_000
  /// The pause between two reads, in milliseconds.
  private static let pause: Int64 = 3_600_000
  /// The shortest pause if notifications request a read, in milliseconds.
  private static let shortestPause: Int64 = 60_000

  /// The time up to which the list was read; nil before the first read.
  var readUntil: Timestamp?
  var dueAt = Timestamp(milliseconds: 0)
  var failures: Int64 = 0

  init() {}

  /// - Parameter content: A text from ``content``.
  init(_ content: String) {
    let members = try? JSONValue.parse(content)
    readUntil = members?["read_until"]?.integer.map(Timestamp.init(milliseconds:))
    dueAt = Timestamp(milliseconds: members?["due_at"]?.integer ?? 0)
    failures = max(0, members?["failures"]?.integer ?? 0)
  }

  var content: String {
    var members: JSONObject = ["due_at": .integer(dueAt.milliseconds), "failures": .integer(failures)]
    if let readUntil { members["read_until"] = .integer(readUntil.milliseconds) }
    return JSONValue.object(members).text()
  }

  func start(at now: Timestamp) -> Timestamp {
    let first = now.advanced(milliseconds: -Self.listed)
    // A time in the future was written by a clock that was ahead.
    guard let readUntil, readUntil <= now else { return first }
    return max(first, readUntil.advanced(milliseconds: -Self.overlap))
  }

  /// Returns the position at the begin of a read, which is due again after a pause unless it succeeds.
  func begun(at now: Timestamp) -> Self {
    var cursor = self
    cursor.dueAt = RetryPauses.next(after: failures, at: now)
    cursor.failures += 1
    return cursor
  }

  /// Returns the position after a successful read that began at this instant.
  func done(at start: Timestamp) -> Self {
    var cursor = self
    (cursor.readUntil, cursor.dueAt, cursor.failures) = (start, start.advanced(milliseconds: Self.pause), 0)
    return cursor
  }

  /// Returns the position after a notification of a voided purchase.
  func asked(at now: Timestamp) -> Self {
    var cursor = self
    let earliest = readUntil.map { max(now, $0.advanced(milliseconds: Self.shortestPause)) } ?? now
    cursor.dueAt = min(dueAt, earliest)
    return cursor
  }
}

// Google Play's list of voided purchases: the only proof of a subscription's refund, which its state never shows, and
// of refunds with lost notifications. It is read every hour, and after a notification of a refund.
extension PlayNotices {
  private static func document(of packageName: String) -> String {
    "play_voids/" + Hex.text(TextDigest.sha256(of: packageName))
  }

  /// Makes the next read of an app's list due.
  func readVoidsSoon(of packageName: String, in project: ServerProject) throws(LedgerError) {
    let name = Self.document(of: packageName)
    let saved = try project.ledger.document(named: name)
    let cursor = saved.map { PlayVoidCursor($0.content) } ?? PlayVoidCursor()
    let asked = cursor.asked(at: project.clock.now())
    // A reading that has begun may not see the order: the changed version tells it to stay due.
    guard asked.dueAt < cursor.dueAt || cursor.failures > 0 else { return }
    try project.ledger.saveUnlessChanged(document: name, content: asked.content, replacing: saved?.version)
  }

  /// Returns a job that reads due lists; it counts `listed` voided orders and `refunded` purchases.
  func voids(of project: ServerProject) -> MaintenanceJob {
    MaintenanceJob("play_voids") { now throws(LedgerError) in
      var (listed, refunded) = (0, 0)
      for packageName in try names(of: project) {
        let name = Self.document(of: packageName)
        let saved = try project.ledger.document(named: name)
        let cursor = saved.map { PlayVoidCursor($0.content) } ?? PlayVoidCursor()
        // Among several servers, the server that saves this position reads the list.
        guard RetryPauses.isDue(cursor.dueAt, at: now),
          let begun = try project.ledger.saveUnlessChanged(
            document: name, content: cursor.begun(at: now).content, replacing: saved?.version)
        else { continue }
        let voids = try await api.voids(of: packageName, since: cursor.start(at: now))
        refunded += try await apply(voids, of: packageName, to: project)
        try finish(begun, readAt: now, in: project)
        listed += voids.count
      }
      return ["listed": listed, "refunded": refunded]
    }
  }

  /// Saves the end of a reading; a notification that asked for another reading meanwhile keeps its date.
  private func finish(
    _ begun: LedgerDocument, readAt start: Timestamp, in project: ServerProject
  ) throws(LedgerError) {
    var document = begun
    while true {
      var done = PlayVoidCursor(document.content).done(at: start)
      if document.version != begun.version { done.dueAt = min(done.dueAt, PlayVoidCursor(document.content).dueAt) }
      let saved = try project.ledger.saveUnlessChanged(
        document: document.name, content: done.content, replacing: document.version)
      guard saved == nil, let changed = try project.ledger.document(named: document.name) else { return }
      document = changed
    }
  }

  /// Refunds the purchases of all voided orders.
  ///
  /// - Throws: The first error; the other orders were tried unless Google stopped answering.
  private func apply(
    _ voids: [PlayVoid], of packageName: String, to project: ServerProject
  ) async throws(LedgerError) -> Int {
    var (refunded, silences, failure): (Int, Int, LedgerError?) = (0, 0, nil)
    for void in voids {
      // Other work waits for this job.
      guard !Task.isCancelled else {
        throw LedgerError(.backendUnreachable, "The server stops. The list is read again.")
      }
      do throws(LedgerError) {
        refunded += try await apply(void, of: packageName, to: project)
        silences = 0
      } catch {
        // Nothing is left to refund.
        if error.code == .receiptRevoked { continue }
        failure = failure ?? error
        silences = error.code == .backendUnreachable ? silences + 1 : 0
      }
      if silences == Self.silencesMax { break }
    }
    if let failure { throw failure }
    return refunded
  }

  /// The number of look-ups in a row without an answer after which a reading ends.
  private static let silencesMax = 3

  /// Refunds the purchases of a voided order.
  ///
  /// - Returns: The number of purchases with a new refund.
  private func apply(
    _ void: PlayVoid, of packageName: String, to project: ServerProject
  ) async throws(LedgerError) -> Int {
    // The state of a subscription never shows a refund, and Google forgets an ended subscription first.
    let ofOrder = void.units == nil ? try PlayVoidedCredit.all(ofOrder: void, in: project) : []
    if !ofOrder.isEmpty { return try await refund(ofOrder.map { $0.transaction(packageName) }, in: project) }
    let alone = try PlayVoidedCredit.all(ofToken: void, amongProducts: [], in: project).first
    if let alone, alone.purchase.isRefunded { return 0 }
    let found: PlayProductPurchase
    do throws(LedgerError) {
      found = try await lookUp(
        PlayLookUp(
          packageName: packageName, token: void.token,
          productIDs: alone?.purchase.storeProductID.map { [$0] } ?? [], askedAt: project.clock.now()), in: project)
    } catch {
      guard error.code == .purchaseNotFound else { throw error }
      return try await refund(forgotten: void, packageName, in: project)
    }
    return try await refund(found.transactions(voidedBy: void), in: project)
  }

  /// Refunds what was credited or is held for a token that Google no longer shows.
  private func refund(
    forgotten void: PlayVoid, _ packageName: String, in project: ServerProject
  ) async throws(LedgerError) -> Int {
    let products = try PlayVoidedCredit.productIDs(in: project) { !$0.type.isSubscription }
    let credits = try PlayVoidedCredit.all(ofToken: void, amongProducts: products, in: project)
    // The units are of one product of several, and the list does not state which.
    if !credits.isEmpty, void.units == nil || credits.count == 1 {
      return try await refund(credits.map { $0.transaction(packageName) }, in: project)
    }
    let held = try project.backend.heldPurchases(with: void.token).compactMap(\.transaction)
    return try await refund(
      held.filter { $0.store == .google && void.units == nil }.map { $0.voided(by: void) }, in: project)
  }

  private func refund(_ transactions: [StoreTransaction], in project: ServerProject) async throws(LedgerError) -> Int {
    var count = 0
    for stated in transactions {
      let isKnown = try Self.known(stated, in: project.ledger) != nil
      if let named = try Self.asReceiptsNameIt(stated, in: project),
        try await project.backend.apply(state: named).outcome == .refunded
      {
        count += 1
      }
      // A tester's purchase may still be posted by its token alone, under the sandbox.
      if !isKnown, stated.environment != .production { try await project.backend.apply(state: stated) }
    }
    return count
  }
}

/// A credited purchase of a voided order.
private struct PlayVoidedCredit {
  let purchase: Purchase
  let void: PlayVoid
  /// The product in the identity of the purchase; nil if the identity has none.
  let productID: String?

  /// Returns the credits whose identity has the token and the order: those of a subscription.
  static func all(ofOrder void: PlayVoid, in project: ServerProject) throws(LedgerError) -> [Self] {
    guard let order = void.orderID else { return [] }
    let products = try productIDs(in: project) { $0.type.isSubscription }
    return try all("\(void.token)/\(order)", products, void, project)
  }

  /// Returns the credits whose identity has the token, or the token and one of the products.
  static func all(
    ofToken void: PlayVoid, amongProducts products: [String], in project: ServerProject
  ) throws(LedgerError) -> [Self] {
    try all(void.token.text, products, void, project)
  }

  private static func all(
    _ id: String, _ products: [String], _ void: PlayVoid, _ project: ServerProject
  ) throws(LedgerError) -> [Self] {
    var credits: [Self] = []
    for product in [nil] + products.map(Optional.some) {
      let id = StoreTransactionID(unchecked: product.map { "\(id)/\($0)" } ?? id)
      for environment in [StoreEnvironment.production, .sandbox] {
        guard
          let purchase = try project.ledger.purchase(store: .google, environment: environment, transactionID: id)
        else { continue }
        credits.append(Self(purchase: purchase, void: void, productID: product))
      }
    }
    return credits
  }

  /// Returns the ids at Google Play of the catalog's products, each once.
  static func productIDs(
    in project: ServerProject, if isWanted: (Product) -> Bool
  ) throws(LedgerError) -> [String] {
    let products = try project.catalogs.current().catalog.products.filter(isWanted)
    let ids = products.compactMap { $0.storeIDs[Store.google.description] }
    return Set(ids.map { StoreTransaction.productID(atGoogle: $0) }).sorted()
  }

  /// Returns the purchase as the list states it, with the identity of its credit.
  ///
  /// The catalog may call a product of Google Play a subscription that Google sells once: the identity decides.
  func transaction(_ packageName: String) -> StoreTransaction {
    let isOfOrder = void.orderID.map { purchase.storeTransactionID.text.hasPrefix("\(void.token)/\($0)") } ?? false
    return StoreTransaction(
      store: .google, environment: purchase.environment, id: void.token, orderID: isOfOrder ? void.orderID : nil,
      bundleID: packageName, storeProductID: productID ?? purchase.storeProductID ?? "",
      productType: isOfOrder ? .autoRenewableSubscription : .consumable, quantity: purchase.quantity,
      purchasedAt: purchase.purchasedAt, isLineItem: productID != nil, signedAt: void.voidedAt
    ).voided(by: void)
  }
}

extension PlayProductPurchase {
  /// Returns the refunded transactions of a voided order.
  ///
  /// A single product is refunded in any state, since its state may lag behind the list. For an order of several
  /// products only their state shows which were refunded, and for units only the state shows how many in all.
  fileprivate func transactions(voidedBy void: PlayVoid) -> [StoreTransaction] {
    transactions.compactMap { stated in
      if void.units != nil || !isSubscription && lines.count > 1 { return stated.revocation == nil ? nil : stated }
      var stated = stated
      // The state shows a subscription's last order, but an earlier order may have been voided.
      if isSubscription { stated.orderID = void.orderID ?? stated.orderID }
      return stated.voided(by: void)
    }
  }
}

extension StoreTransaction {
  /// Returns the transaction with the refund that the list states.
  fileprivate func voided(by void: PlayVoid) -> Self {
    var transaction = self
    transaction.revocation = Revocation(
      revokedAt: void.voidedAt, extent: void.units.map(Revocation.Extent.quantity) ?? .full)
    transaction.signedAt = void.voidedAt
    return transaction
  }
}
#endif
