/// A genuine purchase that cannot be credited yet, with the store's statement.
package struct ReceiptHold: Sendable {
  package var store: Store
  package var environment: StoreEnvironment
  package var transactionID: StoreTransactionID
  /// The state of the purchase at the store: paid, pending or cancelled.
  package var kind: EvidenceRow.Kind
  package var statedAt: Timestamp
  /// Nil if it is kept already, for example the statement of a refund.
  package var statement: StoreStatement?
  package var reason: HoldReason
  /// The time of the next decision without another cause; nil for never.
  package var dueAt: Timestamp?
  /// The name of the missing condition, if it has a name.
  package var subject: String?
  /// Input of the next decision in addition to the statement, as JSON.
  package var note: String

  package init(
    store: Store, environment: StoreEnvironment, transactionID: StoreTransactionID,
    kind: EvidenceRow.Kind = .purchased, statedAt: Timestamp, statement: StoreStatement?, reason: HoldReason,
    dueAt: Timestamp? = nil, subject: String? = nil, note: String = ""
  ) {
    self.store = store
    self.environment = environment
    self.transactionID = transactionID
    self.kind = kind
    self.statedAt = statedAt
    self.statement = statement
    self.reason = reason
    self.dueAt = dueAt
    self.subject = subject
    self.note = note
  }
}

/// Keeps the store's statement of a purchase that cannot be credited yet, with the reason.
final class HoldReceiptCommand: Command {
  let hold: ReceiptHold
  /// Whether the command's customer posted the receipt; false if a store reported the purchase.
  let isPosted: Bool

  init(_ hold: ReceiptHold, isPosted: Bool) {
    self.hold = hold
    self.isPosted = isPosted
  }

  var action: LedgerCommand.Action { .holdReceipt(self) }

  static let keyFields = KeyFields(rest: "kind")
  var asked: Int64 { Fingerprint.asked(.keyless, 0) }
  var namedCustomers: NamedCustomers { isPosted ? .own : .none }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    LedgerCommand.Footprint(purchase: claim, subject: isPosted ? .customer : .owner)
  }
  var independence: Independence { .ofOtherPurchases }

  private var claim: LedgerCommand.PurchaseClaim {
    LedgerCommand.PurchaseClaim(
      store: hold.store, environment: hold.environment, transactionID: hold.transactionID)
  }

  /// Keeps the statement of a purchase that cannot be credited yet.
  ///
  /// A purchase that has been credited in the meantime is held only if a person must decide. The first customer to post
  /// the purchase remains its customer.
  ///
  /// - Throws: `receipt_revoked` if that customer was erased.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    let identity = PurchaseIdentity(
      store: hold.store, environment: try decider.books.work.purchases.number(of: hold.environment),
      transactionID: hold.transactionID)
    let statement = hold.statement.map {
      EvidenceRow(identity: identity, kind: hold.kind, signedAt: hold.statedAt, statement: $0)
    }
    let credited = try decider.books.work.purchases.find(identity)
    var evidence = try decider.books.work.purchases.evidence(identity, credited)
    if let credited {
      try RefundNotices.bookStanding(&decider, of: credited, statement, among: evidence, command: command)
      evidence = try decider.books.work.purchases.evidence(identity, credited)
      if !hold.reason.endsWithCredit, !isDecided(evidence, statement) {
        let before = evidence.first { $0.kind == .held }
        let held = row(identity, hold.reason, decider.books.work.now, after: before, postedBy: nil)
        if held.held != before?.held || held.content != before?.content {
          decider.books.work.purchases.keep(held, among: evidence)
        }
      }
      let owner = try decider.books.work.owner(of: credited)
      return try KeyReplay.replay(decider.books, credited.transaction, of: credited.customer, customer: owner.id)
    }
    try Self.checkNotErased(decider.books, evidence)
    if let statement {
      decider.books.work.purchases.keep(statement, among: evidence)
      evidence = RefundRules.adding(statement, to: evidence)
    }
    let before = evidence.first { $0.kind == .held }
    guard let reason = reason(after: before?.held, evidence) else {
      return decider.books.work.answer(command.customer, isReplayed: true)
    }
    let poster = isPosted ? try self.poster(&decider.books.work, command) : nil
    let held = row(identity, reason, decider.books.work.now, after: before, postedBy: poster?.number)
    // An app posts the receipt again at each start, which changes nothing.
    if held.held != before?.held || held.content != before?.content {
      decider.books.work.purchases.keep(held, among: evidence)
    }
    let isKnown = before?.held?.reason == reason
    // The event is for readers of the journal. If another customer posted the receipt first, the event exists already.
    if let poster, !isKnown, reason.isOpen, held.held?.customer == poster.number {
      decider.books.plans.removeAll(keepingCapacity: true)
      _ = decider.books.beginTransaction(.receiptHeld, command: command, customer: poster)
    }
    return decider.books.work.answer(command.customer, isReplayed: isKnown)
  }

  /// Whether a person has decided since the first date of the store's statement.
  private func isDecided(_ evidence: [EvidenceRow], _ statement: EvidenceRow?) -> Bool {
    let known = statement.flatMap { statement in evidence.first { $0.isAboutTheSame(as: statement) } }
    let statedAt = known?.firstSignedAt ?? hold.statedAt
    return evidence.contains { $0.kind == .decided && $0.signedAt >= statedAt }
  }

  /// Returns the reason that follows from all statements of the store; nil if the purchase does not change.
  private func reason(after held: EvidenceRow.HeldState?, _ evidence: [EvidenceRow]) -> HoldReason? {
    if hold.kind == .pending || hold.kind == .cancelled {
      // A payment is made or cancelled once, so its proof counts in any order. The first poster is still news.
      if evidence.contains(where: \.kind.provesPayment) {
        return held.flatMap { isPosted && $0.reason.isOpen && $0.customer == 0 ? $0.reason : nil }
      }
      return evidence.contains { $0.kind == .cancelled } ? .declined : .pending
    }
    // The store's report of a purchase that a customer posted changes neither the reason nor the customer.
    let isPosters = held.map { $0.reason.isOpen && $0.reason != .pending && $0.customer != 0 } ?? false
    if !isPosted, hold.reason.endsWithCredit, isPosters { return nil }
    return hold.reason.endsWithCredit && hold.reason.isOpen && RefundRules.isWhole(evidence) ? .refunded : hold.reason
  }

  /// Ends the hold of a purchase that is refunded in full.
  static func endIfRefunded(_ work: inout UnitOfWork, _ evidence: [EvidenceRow]) {
    guard var held = evidence.first(where: { $0.kind == .held }), let reason = held.held?.reason, reason.isOpen,
      reason.endsWithCredit, RefundRules.isWhole(evidence)
    else { return }
    held.held?.reason = .refunded
    held.held?.dueAt = .max
    work.purchases.keep(held, among: evidence)
  }

  private func poster(_ work: inout UnitOfWork, _ command: LedgerCommand.Body) throws(LedgerError) -> FoundCustomer {
    if let known = try work.customers.find(command.customer) { return known }
    return try work.customers.add(command.customer)
  }

  private func row(
    _ identity: PurchaseIdentity, _ reason: HoldReason, _ now: Timestamp, after before: EvidenceRow?,
    postedBy poster: CustomerNumber?
  ) -> EvidenceRow {
    let first = before?.held?.customer ?? 0
    // A notice without a due time does not replace the due time of a post.
    var dueAt = hold.dueAt?.milliseconds ?? (before?.held?.reason == reason ? before?.held?.dueAt : nil) ?? .max
    if reason == .refunded { dueAt = .max }
    // An order that another customer names later does not belong to the first customer.
    let isFirst = first == 0 || first == poster
    let note = isFirst && !hold.note.isEmpty ? hold.note : before?.content ?? ""
    var row = EvidenceRow(
      identity: identity, kind: .held, signedAt: now, content: note,
      held: EvidenceRow.HeldState(
        reason: reason, dueAt: dueAt, customer: first != 0 ? first : poster ?? 0,
        subject: hold.subject ?? (before?.held?.reason == reason ? before?.held?.subject : nil)))
    row.firstSignedAt = before?.held == nil ? now : before?.firstSignedAt ?? now
    return row
  }

  /// Checks that the purchase's customer was not erased before the credit.
  ///
  /// - Throws: `receipt_revoked`.
  static func checkNotErased(_ books: borrowing Bookkeeper, _ evidence: [EvidenceRow]) throws(LedgerError) {
    guard let held = evidence.first(where: { $0.kind == .held })?.held, held.reason == .erased else { return }
    throw LedgerError(
      .receiptRevoked,
      "The customer of this purchase was erased before the credit. The purchase is not credited.",
      details: [.text("reason", HoldReason.erased.name)])
  }

  /// Ends the held receipts of an erased customer, and removes the members that name a buyer.
  ///
  /// - Parameter tokens: The customer's tokens in the statements of stores, if known.
  static func erase(_ work: inout UnitOfWork, of customer: CustomerNumber, namedBy tokens: [String]) throws(LedgerError)
  {
    let posted = try work.session.rows(EvidenceRow.heldOfCustomer, [IndexKey(customer)])
    for held in posted {
      let known = try work.purchases.evidence(held.identity, nil)
      let isNamed = held.held?.subject.map { !tokens.isEmpty && !tokens.contains($0) } ?? false
      if let reason = held.held?.reason, reason == .buyer || isNamed && reason != .app && reason != .environment {
        // The token names another customer, and the purchase remains that customer's.
        var free = held
        free.held?.customer = 0
        free.content = ""
        work.purchases.keep(replacing: free)
        continue
      }
      for row in known { if let erased = row.erased(ending: true) { work.purchases.keep(replacing: erased) } }
    }
    var below: Int64?
    repeat {
      let page = try work.session.purchases(of: customer, below: below ?? .max, limit: Limits.historyPage)
      for purchase in page {
        let known = try work.session.rows(EvidenceRow.ofPurchase, [IndexKey(purchase.identity)])
        for row in known {
          if let erased = row.erased(ending: false) { work.purchases.keep(replacing: erased) }
        }
      }
      below = page.count == Limits.historyPage ? page.last?.number : nil
    } while below != nil
  }

  /// Removes a customer's tokens from purchases that other customers posted or were credited for.
  ///
  /// A held purchase that waits for its credit is never credited then.
  static func erase(_ work: inout UnitOfWork, namedBy tokens: [String]) throws(LedgerError) {
    guard !tokens.isEmpty else { return }
    var named = try work.session.rows(EvidenceRow.heldForSubject, tokens.map { IndexKey(text: $0) })
    // Receipts that wait for an app or an environment are few, so all of them are read.
    for reason in [HoldReason.app, .environment] {
      var place: IndexPlace?
      repeat {
        let page: [EvidenceRow] = try work.session.page(
          EvidenceRow.heldDue, IndexKey(reason.rawValue), after: place, limit: Limits.historyPage)
        named += page
        let last = page.count == Limits.historyPage ? page.last : nil
        place = last.map { IndexPlace($0.held?.dueAt ?? .max, $0.variant) }
      } while place != nil
    }
    for held in named {
      let known = try work.purchases.evidence(held.identity, nil)
      let isNamed = held.held?.subject.map(tokens.contains) ?? false
      guard isNamed || known.contains(where: { row in tokens.contains { row.content.contains($0) } }) else { continue }
      let isOpen = held.held?.reason.endsWithCredit ?? false
      for row in known {
        if let erased = row.erased(ending: isOpen) { work.purchases.keep(replacing: erased) }
      }
    }
  }
}

extension EvidenceRow {
  /// The members of a statement's content that name the buyer.
  private static let personalMembers = [
    "appAccountToken", "obfuscatedExternalAccountId", "obfuscatedExternalProfileId", "developerPayload",
  ]

  /// Returns the row without the members that name the buyer; nil if nothing is to be removed.
  ///
  /// - Parameter ending: Whether a held purchase ends.
  func erased(ending: Bool) -> Self? {
    var row = self
    if kind == .held {
      guard let state = held else { return nil }
      row.content = ""
      row.held = ending ? HeldState(reason: .erased) : nil
      return state == row.held && content.isEmpty ? nil : row
    }
    guard !content.isEmpty, let parsed = try? JSONValue.parse(content), case .object(var members) = parsed,
      Self.personalMembers.contains(where: { members[$0] != nil })
    else { return nil }
    for name in Self.personalMembers { members[name] = nil }
    // The variant remains, so that a redelivered statement is recognised.
    row.content = JSONValue.object(members).text()
    return row
  }
}

extension LedgerCommand {
  /// Keeps a purchase that cannot be credited yet.
  ///
  /// - Parameter customer: The customer that posted the receipt; nil if a store reported the purchase.
  package static func holdReceipt(_ hold: ReceiptHold, customer: CustomerID?) -> Self {
    var details = CommandDetails()
    details.reference = Reference(
      unchecked: String(hold.transactionID.text.unicodeScalars.prefix(Limits.referenceBytes / 4)))
    details.reason = Reason(unchecked: hold.reason.name)
    return Self(
      HoldReceiptCommand(hold, isPosted: customer != nil),
      customer: customer ?? CustomerID(ofNobody: hold.transactionID), key: nil, details: details)
  }
}
