#if Server
internal import GemLedger
internal import StoreBackend
internal import StoreReceipts
internal import SystemCrypto

/// Purchases of Google Play that the server consumes or acknowledges if their apps do not.
///
/// Google refunds a purchase that is not acknowledged in three days, and does not sell a product again before it is
/// consumed. Each purchase is a document of the ledger until Google states that it is complete. It is looked up before
/// each try. After a failure it is tried again in a minute, then with pauses that double up to an hour, for three days.
struct PlayCompletions: Sendable {
  /// The evidence that brought the purchase.
  enum Cause: Sendable {
    /// A notification; the app may be gone.
    case notice
    /// The post of an app that completes the purchase after the answer, unless the app stops before.
    case purchase
    /// The post of an app that only synchronizes, and completes nothing.
    case restore

    /// Returns the cause for the post of an app.
    init(_ source: ReceiptPost.Source) { self = source == .restore ? .restore : .purchase }
  }

  /// A purchase to complete.
  struct Entry: Hashable, Sendable {
    let packageName: String
    let token: StoreTransactionID
    let productIDs: [String]
    let isSubscription: Bool
    let keptAt: Timestamp
    var tries: Int64 = 0
    var dueAt: Timestamp
  }

  /// The next step of a completion.
  enum Decision: Hashable, Sendable {
    /// Nothing remains to be done.
    case done
    /// Make these calls, then ask Google whether the purchase is complete.
    case complete([PlayDeveloperAPI.Completion])
    /// Wait until the purchase is paid and credited.
    case wait
  }

  /// The result of a try.
  enum Outcome: Sendable {
    /// Google states that the purchase is complete, or it needs no completion.
    case done
    /// A part of the purchase is not completed yet.
    case later
    /// No part of the purchase is credited.
    case uncredited
  }

  static let prefix = "play_completion/"
  /// The time that an app has to complete its purchase, in milliseconds.
  static let appMilliseconds: Int64 = 600_000
  /// The time for which a completion is tried, in milliseconds.
  static let lifetime: Int64 = PlayProductPurchase.acknowledgementDays * 86_400_000
  /// The number of consecutive purchases without an answer from Google after which a round ends.
  private static let failuresMax = 3

  let ledger: Ledger
  let clock: LedgerClock

  /// Decides the calls that complete a purchase; pure.
  ///
  /// It skips consumed and refunded products. Uncredited lines wait, so that Google refunds a purchase of which nothing
  /// is credited.
  ///
  /// - Parameter types: The product type of each line; nil for an uncredited line.
  static func decision(_ found: PlayProductPurchase, _ types: [ProductType?]) -> Decision {
    guard found.isPaid else { return found.isCancelled ? .done : .wait }
    var completions: [PlayDeveloperAPI.Completion] = []
    var waits = false
    for (line, type) in zip(found.lines, types) where line.transaction.revocation?.extent != .full {
      let product = StoreTransaction.productID(atGoogle: line.transaction.storeProductID)
      if found.isSubscription {
        if found.isAcknowledged { continue }
        if type == nil { waits = true } else { completions = [.acknowledgeSubscription(product: product)] }
      } else if !line.isConsumed {
        switch type {
        case .consumable?: completions.append(.consume(product: product))
        case .some: if !found.isAcknowledged { completions.append(.acknowledge(product: product)) }
        case nil: waits = true
        }
      }
    }
    return completions.isEmpty ? (waits ? .wait : .done) : .complete(completions)
  }

  // MARK: Keeping

  /// Stores a purchase until it is complete; a stored purchase may become due earlier or later.
  ///
  /// - Throws: `LedgerError` of the storage.
  func keep(_ new: Entry, after cause: Cause) throws(LedgerError) {
    let name = Self.name(of: new.token)
    let document = try ledger.documents.find(named: name)
    let kept = document.flatMap { Entry($0.content) }
    var entry = kept ?? new
    switch cause {
    case .notice: break
    case .restore: entry.dueAt = min(entry.dueAt, new.dueAt)
    case .purchase where entry.tries == 0: entry.dueAt = entry.keptAt.advanced(milliseconds: Self.appMilliseconds)
    case .purchase: break
    }
    guard entry != kept else { return }
    try ledger.documents.saveUnlessChanged(name, content: entry.content, replacing: document?.version)
  }

  private static func name(of token: StoreTransactionID) -> String {
    prefix + Hex.text(TextDigest.sha256(of: token.text))
  }

  // MARK: Trying

  /// Tries the purchases that are due; ends early if Google does not answer.
  ///
  /// - Parameters:
  ///   - giveUp: Called for a credited purchase that is removed without being complete.
  ///   - attempt: Completes a purchase.
  /// - Returns: The number of purchases tried, and of those removed.
  func round(
    giveUp: (Entry) -> Void, _ attempt: (Entry) async throws(LedgerError) -> Outcome
  ) async throws(LedgerError) -> (tried: Int, done: Int) {
    var (tried, done, failures) = (0, 0, 0)
    try await ledger.documents.each(withPrefix: Self.prefix) { (document) throws(LedgerError) in
      guard !Task.isCancelled, failures < Self.failuresMax else { return false }
      guard let entry = Entry(document.content), RetryPauses.isDue(entry.dueAt, at: clock.now()) else { return true }
      tried += 1
      var outcome = Outcome.later
      do throws(LedgerError) {
        outcome = try await attempt(entry)
        failures = 0
      } catch {
        guard error.code == .backendUnreachable || error.code == .purchaseNotFound else { throw error }
        failures += error.code == .backendUnreachable ? 1 : 0
      }
      let isOver = clock.now().milliseconds(since: entry.keptAt) >= Self.lifetime
      if outcome == .later, isOver { giveUp(entry) }
      if outcome == .done || isOver {
        try ledger.documents.removeUnlessChanged(document)
        done += 1
      } else {
        try ledger.documents.saveUnlessChanged(
          document.name, content: triedAgain(entry).content, replacing: document.version)
      }
      return true
    }
    return (tried, done)
  }

  private func triedAgain(_ entry: Entry) -> Entry {
    var entry = entry
    entry.dueAt = RetryPauses.next(after: entry.tries, at: clock.now())
    entry.tries += 1
    return entry
  }
}

extension PlayCompletions.Entry {
  /// - Parameter content: A text from ``content``; nil for any other text.
  fileprivate init?(_ content: String) {
    guard let members = (try? JSONValue.parse(content))?.object, let packageName = members["package"]?.text,
      let token = try? StoreTransactionID(members["token"]?.text ?? ""), let keptAt = members["kept_at"]?.integer,
      let dueAt = members["due_at"]?.integer
    else { return nil }
    self.init(
      packageName: packageName, token: token, productIDs: (members["products"]?.array ?? []).compactMap(\.text),
      isSubscription: members["subscription"]?.bool ?? false, keptAt: Timestamp(milliseconds: keptAt),
      tries: members["tries"]?.integer ?? 0, dueAt: Timestamp(milliseconds: dueAt))
  }

  fileprivate var content: String {
    let members: JSONObject = [
      "package": .string(packageName), "token": .string(token.text),
      "products": .array(productIDs.map(JSONValue.string)), "subscription": .bool(isSubscription),
      "kept_at": .integer(keptAt.milliseconds), "tries": .integer(tries), "due_at": .integer(dueAt.milliseconds),
    ]
    return JSONValue.object(members).text()
  }
}

extension PlayNotices {
  /// Stores a purchase for completion; a failure is logged, and never fails the credit.
  func complete(
    _ found: PlayProductPurchase, of packageName: String, after cause: PlayCompletions.Cause, in project: ServerProject
  ) {
    keep(cause, project) { (now) throws(LedgerError) in
      guard PlayCompletions.decision(found, try Self.types(of: found, in: project)) != .done else { return nil }
      return PlayCompletions.Entry(
        packageName: packageName, token: found.token, productIDs: found.lines.map(\.transaction.storeProductID),
        isSubscription: found.isSubscription, keptAt: now, dueAt: now)
    }
  }

  /// Stores a credited purchase for completion after the app posted its signed form.
  func complete(_ names: PlayReceipt.Names, postedBy source: ReceiptPost.Source, in project: ServerProject) {
    keep(PlayCompletions.Cause(source), project) { (now) throws(LedgerError) in
      guard !names.isAcknowledged, try self.names(of: project).contains(where: { $0.hasBytes(of: names.packageName) })
      else { return nil }
      return PlayCompletions.Entry(
        packageName: names.packageName, token: names.token, productIDs: names.productIDs,
        isSubscription: names.isSubscription, keptAt: now, dueAt: now)
    }
  }

  /// - Parameter entry: The purchase to complete; nil for one that is complete.
  private func keep(
    _ cause: PlayCompletions.Cause, _ project: ServerProject,
    _ entry: (_ now: Timestamp) throws(LedgerError) -> PlayCompletions.Entry?
  ) {
    do throws(LedgerError) {
      guard let entry = try entry(project.clock.now()) else { return }
      try PlayCompletions(ledger: project.ledger, clock: project.clock).keep(entry, after: cause)
    } catch {
      log(
        "A purchase of Google Play could not be scheduled for consumption. The app has to consume or acknowledge it.",
        ["project": .string(project.id), "reason": .string(error.message)])
    }
  }

  private static func types(
    of found: PlayProductPurchase, in project: ServerProject
  ) throws(LedgerError) -> [ProductType?] {
    try found.lines.map { (line) throws(LedgerError) in
      try known(line.transaction, in: project.ledger)?.purchase.productType
    }
  }

  /// Returns a round over the stored purchases; it counts `tried`, and `done` for the removed purchases.
  func completions(of project: ServerProject) -> MaintenanceJob {
    MaintenanceJob("play_completions") { _ throws(LedgerError) in
      let completions = PlayCompletions(ledger: project.ledger, clock: project.clock)
      let (tried, done) = try await completions.round(giveUp: { giveUp($0, project) }) { (entry) throws(LedgerError) in
        try await attempt(entry, project)
      }
      return ["tried": tried, "done": done]
    }
  }

  private func attempt(
    _ entry: PlayCompletions.Entry, _ project: ServerProject
  ) async throws(LedgerError) -> PlayCompletions.Outcome {
    let found = try await api.purchase(
      PlayLookUp(
        packageName: entry.packageName, token: entry.token, productIDs: entry.productIDs,
        first: entry.isSubscription ? .subscriptions : .products, askedAt: project.clock.now()))
    let types = try Self.types(of: found, in: project)
    switch PlayCompletions.decision(found, types) {
    case .done: return .done
    case .wait: return .uncredited
    case .complete(let all):
      for one in all { try await api.complete(entry.token, by: one, of: entry.packageName) }
      // A line that is not credited yet waits for another try.
      return types.contains(nil) ? .later : .done
    }
  }

  private func giveUp(_ entry: PlayCompletions.Entry, _ project: ServerProject) {
    log(
      "A purchase of Google Play was not consumed or acknowledged within three days. Google refunds it, or refuses to "
        + "sell the product again. Check the order in the Play Console.",
      [
        "project": .string(project.id), "package_name": .string(entry.packageName),
        "products": .array(entry.productIDs.map(JSONValue.string)),
      ])
  }
}
#endif
