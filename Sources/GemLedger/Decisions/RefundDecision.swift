/// Claws back what a refunded purchase gave, and gives it back where the store takes its refund back.
enum RefundDecision {
  /// Claws back the grant of a refunded purchase; a refund before its purchase is kept and booked with it.
  ///
  /// Evidence without anything new is answered before the key is checked, as for a credited store transaction: the
  /// store may redeliver it under any key.
  ///
  /// - Throws: in order of precedence `amount_out_of_range`, `key_conflict`, and `amount_out_of_range` where the
  ///   returned amounts would pass the hard limit.
  static func refund(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ refund: StoreRefund, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try RefundRules.check(refund.extent)
    let notice = RefundEvidenceRow(
      identity: PurchaseIdentity(
        store: refund.store, environment: try decider.set.number(of: refund.environment, session: session),
        transactionID: refund.transactionID),
      kind: .refund, revokedAt: refund.revokedAt, signedAt: refund.signedAt, extent: refund.extent)
    return try take(&decider, command, notice, session: session)
  }

  /// Gives back the clawed-back currency of a refund that the store has reversed.
  ///
  /// - Throws: as a refund.
  static func reverseRefund(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ reversal: StoreRefundReversal,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let notice = RefundEvidenceRow(
      identity: PurchaseIdentity(
        store: reversal.store, environment: try decider.set.number(of: reversal.environment, session: session),
        transactionID: reversal.transactionID),
      kind: reversal.revokedAt == nil ? .reversalOfAll : .reversal,
      revokedAt: reversal.revokedAt ?? Timestamp(milliseconds: 0), signedAt: reversal.signedAt, extent: .full)
    return try take(&decider, command, notice, session: session)
  }

  private static func take(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ notice: RefundEvidenceRow, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let credited = try JournalLookup.knownPurchase(&decider.set, notice.identity, session: session)
    let known = try decider.set.evidence(notice.identity, credited, session: session)
    let isNews = RefundRules.isNews(notice, among: known)
    guard let purchase = credited else {
      if isNews { decider.set.keep(notice, among: known) }
      return receiptWithoutBooking(
        &decider.set, command.customer, notice, isReplayed: !isNews, isAwaitingPurchase: true)
    }
    let owner = try JournalLookup.owner(&decider.set, of: purchase, session: session)
    guard isNews else { return try answerAgain(&decider, notice, purchase, owner, session: session) }
    return try onceWhereBooked(&decider, command, owner: owner, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Receipt in
      let evidence = RefundRules.adding(notice, to: known)
      let receipt = try settle(
        &decider, purchase, evidence: evidence, notice: notice, owner: owner, command: command, session: session)
      if let receipt { return receipt }
      decider.set.keep(notice, among: known)
      return try answerAgain(&decider, notice, purchase, owner, session: session)
    }
  }

  /// Books the refunds with evidence from before the purchase.
  static func settleEarlyRefunds(
    _ decider: inout Decider, of identity: PurchaseIdentity, command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) {
    guard let purchase = decider.set.newPurchase(identity) else { return }
    let evidence = try decider.set.evidence(identity, purchase, session: session)
    let newest = evidence.max { ($0.signedAt, $0.kind.rawValue) < ($1.signedAt, $1.kind.rawValue) }
    guard let newest else { return }
    let owner = try JournalLookup.owner(&decider.set, of: purchase, session: session)
    _ = try settle(
      &decider, purchase, evidence: evidence, notice: newest, owner: owner, command: command, session: session)
  }

  /// Brings the clawed-back share of the purchase to the share in the evidence; nil where they are equal already.
  private static func settle(
    _ decider: inout Decider, _ purchase: PurchaseRow, evidence: [RefundEvidenceRow], notice: RefundEvidenceRow,
    owner: CustomerRow, command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt? {
    let share = RefundRules.share(of: evidence, quantity: purchase.quantity)
    let before = purchase.refund?.share ?? .none
    guard share != before else { return nil }
    var change = RefundChange(purchase: purchase, owner: FoundCustomer(owner, origin: owner.number), to: share)
    (change.granted, change.givenItems) = try RefundedPurchase.given(&decider, by: purchase, session: session)
    try settleDues(&decider, of: change, session: session)
    if share > before {
      try RefundTakingBack.plan(&decider, &change, session: session)
    } else {
      try RefundGivingBack.plan(&decider, &change, session: session)
    }
    return try book(
      &decider, change, notice: notice, evidenceAt: RefundRules.newest(evidence), owner: owner, command: command,
      session: session)
  }

  /// Books due effects first: an expired hold may have returned currency for amounts that the refund wrote off.
  private static func settleDues(
    _ decider: inout Decider, of change: RefundChange, session: any StorageSnapshot
  ) throws(LedgerError) {
    decider.plans.removeAll(keepingCapacity: true)
    for granted in change.granted {
      let number = AccountNumber(customer: change.owner.number, currency: granted.currency.number)
      let slot = try decider.set.slot(of: number, session: session)
      guard ScheduledEffects.isDue(&decider.set, slot, granted.currency) else { continue }
      try ScheduledEffects.settleDues(&decider, slot, granted.currency, customer: change.owner, session: session)
    }
  }

  private static func book(
    _ decider: inout Decider, _ change: RefundChange, notice: RefundEvidenceRow, evidenceAt: Timestamp,
    owner: CustomerRow, command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    decider.plans.removeAll { $0.amount == 0 }
    var receipt = try JournalPosting.book(
      &decider, change.isTakingBack ? .refund : .reversedRefund, command: command, customer: change.owner,
      session: session)
    receipt.customer = owner.id
    let transaction = decider.set.sequences.transaction
    receipt.isOverMaximum =
      !change.isTakingBack
      && decider.plans.contains { plan in
        decider.set.accounts[plan.slot].row.balance > plan.currency.maximumBalance
      }
    try OwnedItems.add(
      &decider.set, try RefundedPurchase.items(&decider.set, of: change, session: session), to: &receipt, change.owner,
      session)
    let freezes = try RefundedPurchase.freeze(&decider.set, owner, after: change, session: session)
    let refund = RefundRow(
      transaction: transaction, purchase: change.purchase.number, kind: notice.kind, revokedAt: notice.revokedAt,
      signedAt: notice.signedAt, extent: notice.extent, evidenceAt: evidenceAt, share: change.share, freezes: freezes)
    decider.set.add(refund, change.parts)
    return receipt
  }

  // MARK: Answers

  /// Finds the earlier booking for such a notice; a booking without entries where nothing was booked.
  private static func answerAgain(
    _ decider: inout Decider, _ notice: RefundEvidenceRow, _ purchase: PurchaseRow, _ owner: CustomerRow,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let refunds = try decider.set.refunds(of: purchase, session: session)
    let same =
      refunds.last { $0.kind == notice.kind && $0.revokedAt == notice.revokedAt }
      ?? refunds.last { $0.kind != .reclaim }
    guard let same else {
      return receiptWithoutBooking(&decider.set, owner.id, notice, isReplayed: true, isAwaitingPurchase: false)
    }
    // A refund before a merge was booked for the owner at that time.
    let owners = try decider.set.numbers(of: owner.number, session: session)
    return try KeyReplay.replay(&decider, same.transaction, ofAny: owners, customer: owner.id, session: session)
  }

  private static func receiptWithoutBooking(
    _ set: inout WorkingSet, _ customer: CustomerID, _ notice: RefundEvidenceRow, isReplayed: Bool,
    isAwaitingPurchase: Bool
  ) -> Receipt {
    Receipt(
      transactionID: nil, customer: customer, kind: notice.kind == .refund ? .refund : .reversedRefund,
      createdAt: set.now, entries: CompactList([]), isReplayed: isReplayed, isAwaitingPurchase: isAwaitingPurchase)
  }

  /// As ``once``, but keeps a key only where something was booked under it.
  private static func onceWhereBooked(
    _ decider: inout Decider, _ command: LedgerCommand.Body, owner: CustomerRow, session: any StorageSnapshot,
    decide: (inout Decider) throws(LedgerError) -> Receipt
  ) throws(LedgerError) -> Receipt {
    guard let key = command.key else { return try decide(&decider) }
    let customer = FoundCustomer(owner, origin: owner.number)
    if let row = try KeyReplay.earlier(
      &decider.set, underAnyNumberOf: customer, key, command: command, session: session)
    {
      var answer = try KeyReplay.answer(&decider, row, under: key, command: command, session: session)
      answer.customer = owner.id
      return answer
    }
    let receipt = try decide(&decider)
    if !receipt.isReplayed { KeyReplay.keepBooking(&decider, under: key, command: command, customer: owner.number) }
    return receipt
  }
}
