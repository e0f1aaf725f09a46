internal import GemLedger

/// Decides again about held purchases after their reason may have ended.
struct HeldReceipts: Sendable {
  /// The reasons that a change of the catalog may end.
  private static let endedByCatalog: [HoldReason] = [.product, .amount]
  /// The reasons that an instant ends.
  private static let endedByTime: [HoldReason] = [.buyer, .amount]
  private static let pageSize = 100

  let context: BackendContext
  let credits: ReceiptCredits
  let notices: StoreNotices

  /// The counts of a round of decisions.
  struct Round: Sendable {
    var decided = 0
    var credited = 0
  }

  // MARK: Causes

  /// Decides about the held purchases of a token that has a known customer now.
  ///
  /// If a purchase was credited to its poster in the meantime, an operator decides.
  func decide(for token: AccountToken) async throws(LedgerError) {
    let waiting = try context.reading { (view, _) throws(LedgerError) in
      try view.evidence.held(waitingFor: token.description)
    }
    for held in waiting {
      if held.reason == .owner {
        try await ask(held)
      } else if held.reason.isOpen {
        _ = try await decide(held)
      }
    }
  }

  /// The customer is known under this id now.
  func decide(for customer: CustomerID) async throws(LedgerError) {
    for token in AccountToken.all(of: customer, digest: context.verifier.digest(of: customer.text)) {
      try await decide(for: token)
    }
  }

  /// Decides about all due purchases; a cancelled task stops after a page.
  func decideDue(now: Timestamp) async throws(LedgerError) -> Round {
    var round = Round()
    for reason in Self.endedByTime {
      var place: IndexPlace?
      while !Task.isCancelled {
        let page = try page(reason, after: place).filter { $0.dueAt.map { $0 <= now } ?? false }
        guard let last = page.last else { break }
        for held in page { round.add(try await decide(held)) }
        place = last.place
      }
    }
    return round
  }

  /// Decides about the purchases that a change of the catalog may concern, once for each catalog version.
  ///
  /// The ledger stores the position, so that another process can continue.
  func decideAfterCatalogChange() async throws(LedgerError) -> Round {
    var round = Round()
    var progress = try CatalogWalk(in: context.ledger)
    let version = try context.reading { (view, _) throws(LedgerError) in try view.catalogVersion() }
    if progress.version != version { progress.begin(at: version) }
    while let position = progress.position, position.reason < Self.endedByCatalog.count, !Task.isCancelled {
      let page = try page(Self.endedByCatalog[position.reason], after: position.place)
      for held in page { round.add(try await decide(held)) }
      progress.advance(behind: page.last?.place, reasons: Self.endedByCatalog.count)
      // If another process does the same work, both decide; repeating a decision changes nothing.
      try progress.save(in: context.ledger)
    }
    return round
  }

  private func page(_ reason: HoldReason, after place: IndexPlace?) throws(LedgerError) -> [HeldPurchase] {
    try context.reading { (view, _) throws(LedgerError) in
      try view.evidence.held(for: reason, after: place, limit: Self.pageSize)
    }
  }

  // MARK: One

  /// - Returns: Whether it is credited now.
  func decide(_ held: HeldPurchase) async throws(LedgerError) -> Bool {
    guard let evidence = held.evidence else { return false }
    do throws(LedgerError) {
      guard let customer = held.customer else {
        return try await notices.apply(evidence).outcome == .credited
      }
      _ = try await credits.credit(
        evidence, customer: customer, order: HoldNote(held.note).order, search: .find,
        requestID: context.newRequestID())
      return true
    } catch {
      // A purchase that cannot be decided does not stop the others.
      switch error.code.kind {
      case .storageUnavailable, .storageDamaged, .storageForeign, .storageNewer, .inputOutput, .outcomeUnknown:
        throw error
      default: return false
      }
    }
  }

  /// Leaves the purchase to an operator.
  private func ask(_ held: HeldPurchase) async throws(LedgerError) {
    let hold = ReceiptHold(
      store: held.store, environment: held.environment, transactionID: held.transactionID,
      statedAt: context.clock.now(), statement: nil, reason: .decision, subject: held.subject, note: held.note)
    _ = try await context.ledger.book(.holdReceipt(hold, customer: nil))
  }

  /// Returns the command that credits a held purchase by an operator's decision, for any hold reason.
  ///
  /// - Parameters:
  ///   - customer: The customer to credit; nil for the poster, or the customer of its token.
  ///   - product: The product to credit; nil for the product with its id at the store.
  ///   - details: The reason and the actor.
  /// - Throws: As `LocalBackend.credit(_:to:as:details:)`.
  func creditCommand(
    _ held: HeldPurchase, to customer: CustomerID?, as product: ProductCode?, details: CommandDetails
  ) throws(LedgerError) -> LedgerCommand {
    guard let evidence = held.evidence else {
      guard held.reason != .pending, held.reason != .declined else {
        throw .invalid("This purchase is not paid. Use \"gemctl grant\" to give currency without a payment.")
      }
      throw LedgerError(.receiptMalformed, "The store's statement of this purchase is no longer stored.")
    }
    let transaction = evidence.transaction
    let (found, buyer) = try context.reading {
      (view, index) throws(LedgerError) -> (ProductCode?, CustomerID?) in
      if let known = try view.purchase(of: transaction) { return (known.product, known.customer) }
      let buyer = try transaction.accountToken.flatMap { (token) throws(LedgerError) in
        try view.customers.buyer(token, at: transaction.purchasedAt)
      }
      return (index.product(storeID: transaction.storeProductID, at: transaction.store)?.code, buyer)
    }
    guard let product = product ?? found else {
      throw LedgerError(
        .productNotFound,
        "No product of the catalog has the id \"\(transaction.storeProductID.prefix(100))\" at \(transaction.store). "
          + "Name the product to credit.")
    }
    guard let customer = customer ?? buyer ?? held.customer else {
      throw .invalid("This purchase has no poster and names no known customer. Name the customer to credit.")
    }
    var purchase = StorePurchase(evidence, product: product)
    // The decision overrides all statements of the store up to now.
    purchase.statedAt = context.clock.now()
    purchase.statement = evidence.statement
    purchase.statement?.isDecision = true
    return .creditPurchase(purchase, customer: customer, details: details)
  }
}

extension HeldReceipts.Round {
  fileprivate mutating func add(_ isCredited: Bool) {
    decided += 1
    if isCredited { credited += 1 }
  }
}

extension HeldPurchase {
  /// The store's newest statement of the purchased product; nil if none is known, or it is not paid.
  var evidence: Evidence? {
    // A refund also states the product, but its date is not the date of an unrefunded purchase.
    let standing = statements.filter { $0.kind == .purchased || $0.kind == .reversalOfAll }
    let paid = statements.filter(\.kind.provesPayment)
    let known = standing.transaction(in: environment) ?? paid.transaction(in: environment)
    return known.map { transaction in
      Evidence(
        transaction: transaction, isNotice: standing.first?.kind == .reversalOfAll, isKept: true,
        statesPurchase: !standing.isEmpty)
    }
  }
}

extension [KeptStatement] {
  /// Returns the newest statement with a content, as a purchase without a refund; nil if none is known.
  func transaction(in environment: StoreEnvironment) -> StoreTransaction? {
    for statement in self where !statement.content.isEmpty {
      do throws(LedgerError) {
        return try StoreTransaction(
          content: statement.content, environment: environment, statedAt: statement.statedAt)
      } catch {
        continue
      }
    }
    return nil
  }
}

/// The progress of decisions about held purchases after a change of the catalog.
private struct CatalogWalk {
  private static let name = "held-receipts"

  /// The catalog's version.
  private(set) var version: Int64
  /// Its position; nil if it is done.
  private(set) var position: (reason: Int, place: IndexPlace?)?
  private var document: Int64?

  init(in ledger: Ledger) throws(LedgerError) {
    let kept = try ledger.documents.find(named: Self.name)
    document = kept?.version
    let members = kept.flatMap { try? JSONValue.parse($0.content) }?.object
    version = members?["catalog"]?.integer ?? 0
    guard let reason = members?["reason"]?.integer else { return }
    let place = members?["due"]?.integer.flatMap { due in
      members?["number"]?.integer.map { IndexPlace(due, $0) }
    }
    position = (Int(clamping: reason), place)
  }

  mutating func begin(at version: Int64) {
    self.version = version
    position = (0, nil)
  }

  /// - Parameter place: The place of the page's last purchase; nil for an empty page.
  mutating func advance(behind place: IndexPlace?, reasons: Int) {
    guard let position else { return }
    if let place {
      self.position = (position.reason, place)
    } else {
      self.position = position.reason + 1 < reasons ? (position.reason + 1, nil) : nil
    }
  }

  /// If another process saved first, it has the same version or a newer one and continues, so this walk ends.
  mutating func save(in ledger: Ledger) throws(LedgerError) {
    var members = JSONObject([("catalog", .integer(version))])
    if let position {
      members["reason"] = .integer(Int64(position.reason))
      members["due"] = position.place.map { .integer($0.first) }
      members["number"] = position.place.map { .integer($0.second) }
    }
    do throws(LedgerError) {
      document =
        try ledger.documents.save(Self.name, content: JSONValue.object(members).text(), replacing: document).version
    } catch {
      guard error.code == .conditionFailed else { throw error }
      position = nil
    }
  }
}
