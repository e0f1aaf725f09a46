/// Books the outcome of the store's refund notices and reversal notices, for both commands.
enum RefundNotices {
  static func take(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ notice: EvidenceRow
  ) throws(LedgerError) -> Booking {
    let credited = try decider.books.work.purchases.find(notice.identity)
    let known = try decider.books.work.purchases.evidence(notice.identity, credited)
    let isNew = RefundRules.isNew(notice, among: known)
    guard let purchase = credited else {
      let kept = notice.withoutNeedlessNames(among: known)
      decider.books.work.purchases.keep(kept, among: known)
      HoldReceiptCommand.endIfRefunded(&decider.books.work, RefundRules.adding(kept, to: known))
      return answerWithoutBooking(
        decider.books.work, command.customer, notice, isReplayed: !isNew, isAwaitingPurchase: true)
    }
    let owner = try decider.books.work.owner(of: purchase)
    let notice = notice.keepable(of: owner, in: decider.books.definitions)
    guard isNew else {
      if !notice.content.isEmpty { decider.books.work.purchases.keep(notice, among: known) }
      return try answerAgain(decider.books, notice, purchase, owner)
    }
    return try idempotentlyWhereBooked(&decider, command, owner: owner) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      let evidence = RefundRules.adding(notice, to: known)
      let booking = try bookDue(&decider, purchase, evidence: evidence, notice: notice, owner: owner, command: command)
      // A booked refund is evidence by itself; only further content needs a row.
      if booking == nil || !notice.content.isEmpty { decider.books.work.purchases.keep(notice, among: known) }
      if let booking { return booking }
      return try answerAgain(decider.books, notice, purchase, owner)
    }
  }

  /// Keeps the statement of a credited purchase, and books the outcome of all evidence.
  ///
  /// The purchase may have been credited just now, with refunds that arrived before it. If it was credited earlier, the
  /// statement may reverse a refund.
  static func bookStanding(
    _ decider: inout Decider, of purchase: PurchaseRow, _ statement: EvidenceRow?, among known: [EvidenceRow],
    command: LedgerCommand.Body
  ) throws(LedgerError) {
    var evidence = known
    let owner = try decider.books.work.owner(of: purchase)
    if let statement {
      let statement = statement.keepable(of: owner, in: decider.books.definitions)
      decider.books.work.purchases.keep(statement, among: evidence)
      evidence = RefundRules.adding(statement, to: evidence)
    }
    endHold(&decider.books.work, among: evidence, isDecided: statement?.kind == .decided)
    let newest = evidence.filter(\.kind.isAboutRefunds).max {
      ($0.signedAt, $0.kind.rawValue, $0.variant) < ($1.signedAt, $1.kind.rawValue, $1.variant)
    }
    guard let newest else { return }
    _ = try bookDue(&decider, purchase, evidence: evidence, notice: newest, owner: owner, command: command)
  }

  /// Ends the hold of a credited purchase.
  private static func endHold(_ work: inout UnitOfWork, among evidence: [EvidenceRow], isDecided: Bool) {
    guard var held = evidence.first(where: { $0.kind == .held }), let reason = held.held?.reason,
      reason.endsWithCredit || isDecided
    else { return }
    // A person may credit a customer that the token does not name.
    held.held = held.held?.subject.flatMap { subject in
      isDecided ? EvidenceRow.HeldState(reason: .decided, subject: subject) : nil
    }
    held.content = ""
    work.purchases.keep(held, among: evidence)
  }

  /// Brings the clawed-back share of the purchase to the share in the evidence; nil if they are equal already.
  private static func bookDue(
    _ decider: inout Decider, _ purchase: PurchaseRow, evidence: [EvidenceRow], notice: EvidenceRow, owner: CustomerRow,
    command: LedgerCommand.Body
  ) throws(LedgerError) -> Booking? {
    let share = RefundRules.share(of: evidence, quantity: purchase.quantity)
    let before = purchase.refund?.share ?? .none
    guard share != before else { return nil }
    var change = RefundChange(purchase: purchase, owner: FoundCustomer(owner, original: owner.number), to: share)
    (change.granted, change.givenItems) = try RefundedPurchase.given(decider.books, by: purchase)
    try bookDueEffects(&decider.books, of: change)
    if share > before {
      change.unprovenMerges = try UnprovenMerges.merges(of: purchase.customer, to: owner.number, decider.books.work)
      try RefundTakingBack.plan(&decider.books, &change)
    } else {
      try RefundGivingBack.plan(&decider.books, &change)
    }
    return try book(
      &decider, change, notice: notice, evidenceAt: RefundRules.newest(evidence), owner: owner, command: command)
  }

  /// Books due effects first: an expired hold may have returned currency for amounts that the refund wrote off.
  private static func bookDueEffects(_ books: inout Bookkeeper, of change: RefundChange) throws(LedgerError) {
    books.plans.removeAll(keepingCapacity: true)
    for granted in change.granted {
      let number = AccountNumber(customer: change.owner.number, currency: granted.currency.number)
      let slot = try books.work.accounts.slot(of: number)
      guard books.work.isDue(slot, granted.currency) else { continue }
      try books.bookDueEffects(slot, granted.currency, customer: change.owner)
    }
  }

  private static func book(
    _ decider: inout Decider, _ change: RefundChange, notice: EvidenceRow, evidenceAt: Timestamp, owner: CustomerRow,
    command: LedgerCommand.Body
  ) throws(LedgerError) -> Booking {
    decider.books.plans.removeAll { $0.amount == 0 }
    var booking = try decider.books.book(
      change.isTakingBack ? .refund : .reversedRefund, command: command, customer: change.owner)
    booking.customer = owner.id
    let transaction = decider.books.work.journal.sequences.transaction
    booking.isOverMaximum =
      !change.isTakingBack
      && decider.books.plans.contains { plan in
        decider.books.work.accounts[plan.slot].row.balance > plan.currency.maximumBalance
      }
    try decider.books.work.add(try RefundedPurchase.items(decider.books.work, of: change), to: change.owner, &booking)
    let freezes = try RefundedPurchase.freeze(&decider.books.work, owner, after: change)
    let refund = RefundRow(
      transaction: transaction, purchase: change.purchase.number, kind: notice.kind, revokedAt: notice.revokedAt,
      signedAt: notice.signedAt, extent: notice.extent, evidenceAt: evidenceAt, share: change.share, freezes: freezes)
    decider.books.work.purchases.add(refund, change.parts)
    return booking
  }

  // MARK: Answers

  /// Finds the earlier booking for such a notice; a booking without entries if nothing was booked.
  private static func answerAgain(
    _ books: borrowing Bookkeeper, _ notice: EvidenceRow, _ purchase: PurchaseRow, _ owner: CustomerRow
  ) throws(LedgerError) -> Booking {
    let refunds = try books.work.purchases.refunds(of: purchase)
    let same =
      refunds.last { $0.kind == notice.kind && $0.revokedAt == notice.revokedAt }
      ?? refunds.last { $0.kind != .reclaim }
    guard let same else {
      return answerWithoutBooking(books.work, owner.id, notice, isReplayed: true, isAwaitingPurchase: false)
    }
    // A refund before a merge was booked for the owner at that time.
    let owners = try books.work.customers.related(to: owner.number)
    return try KeyReplay.replay(books, same.transaction, ofAny: owners, customer: owner.id)
  }

  private static func answerWithoutBooking(
    _ work: borrowing UnitOfWork, _ customer: CustomerID, _ notice: EvidenceRow, isReplayed: Bool,
    isAwaitingPurchase: Bool
  ) -> Booking {
    Booking(
      transactionID: nil, customer: customer, kind: notice.kind == .refund ? .refund : .reversedRefund,
      createdAt: work.now, entries: CompactList([]), isReplayed: isReplayed, isAwaitingPurchase: isAwaitingPurchase)
  }

  /// Works as ``idempotently``, but keeps a key only if something was booked under it.
  private static func idempotentlyWhereBooked(
    _ decider: inout Decider, _ command: LedgerCommand.Body, owner: CustomerRow,
    decide: (inout Decider) throws(LedgerError) -> Booking
  ) throws(LedgerError) -> Booking {
    guard let key = command.key else { return try decide(&decider) }
    let customer = FoundCustomer(owner, original: owner.number)
    if let row = try KeyReplay.earlier(&decider.books.work, underAnyNumberOf: customer, key, command: command) {
      var answer = try KeyReplay.answer(decider.books, row, under: key, command: command)
      answer.customer = owner.id
      return answer
    }
    let booking = try decide(&decider)
    if !booking.isReplayed { decider.books.work.keys.keep(decider.books.booked, under: key, of: command, owner.number) }
    return booking
  }
}

extension EvidenceRow {
  /// Returns the statement to keep for a purchase that is not credited.
  ///
  /// The members that name the buyer help to credit a held purchase. They are removed if the purchase is refunded in
  /// full or its customer was erased.
  fileprivate func withoutNeedlessNames(among known: [EvidenceRow]) -> EvidenceRow {
    let reason = known.first { $0.kind == .held }?.held?.reason
    let isNeedless = reason == .erased || kind == .refund && extent == .full && reason?.isOpen != true
    return isNeedless ? erased(ending: false) ?? self : self
  }
}

extension EvidenceRow {
  /// Returns the statement to keep: without the members that name the buyer if the customer was erased.
  fileprivate func keepable(of owner: CustomerRow, in definitions: CurrencyDefinitions) -> EvidenceRow {
    guard owner.isErased(salt: definitions.transactionIDs.salt) else { return self }
    return erased(ending: false) ?? self
  }
}
