extension Decider {
  /// Claws back what a refunded purchase gave; a refund before its purchase is kept and booked with it.
  ///
  /// Evidence that says nothing new is answered before the key is looked at, as a store transaction that is credited
  /// is: the store delivers it again under whatever key.
  ///
  /// - Throws: in order of precedence `amount_out_of_range`, `key_conflict`, and `amount_out_of_range` where what
  ///   comes back would pass the hard limit.
  mutating func decide(
    _ command: LedgerCommand.Body, _ refund: StoreRefund, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try RefundRules.check(refund.extent)
    let notice = RefundEvidenceRow(
      identity: PurchaseIdentity(
        store: refund.store, environment: try set.number(of: refund.environment, session: session),
        transactionID: refund.transactionID),
      kind: .refund, revokedAt: refund.revokedAt, signedAt: refund.signedAt, extent: refund.extent)
    return try decide(command, notice, session: session)
  }

  /// Gives back what a refund took that the store took back.
  ///
  /// - Throws: as a refund.
  mutating func decide(
    _ command: LedgerCommand.Body, _ reversal: StoreRefundReversal, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let notice = RefundEvidenceRow(
      identity: PurchaseIdentity(
        store: reversal.store, environment: try set.number(of: reversal.environment, session: session),
        transactionID: reversal.transactionID),
      kind: reversal.revokedAt == nil ? .reversalOfAll : .reversal,
      revokedAt: reversal.revokedAt ?? Timestamp(milliseconds: 0), signedAt: reversal.signedAt, extent: .full)
    return try decide(command, notice, session: session)
  }

  private mutating func decide(
    _ command: LedgerCommand.Body, _ notice: RefundEvidenceRow, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let credited = try knownPurchase(notice.identity, session: session)
    let known = try set.evidence(notice.identity, credited, session: session)
    let isNews = RefundRules.isNews(notice, among: known)
    guard let purchase = credited else {
      if isNews { set.keep(notice, among: known) }
      return receiptWithoutBooking(command.customer, notice, isReplayed: !isNews, isAwaitingPurchase: true)
    }
    let owner = try owner(of: purchase, session: session)
    guard isNews else { return try answerAgain(notice, purchase, owner, session: session) }
    return try onceWhereBooked(command, owner: owner, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Receipt in
      let evidence = RefundRules.adding(notice, to: known)
      let receipt = try decider.settle(
        purchase, evidence: evidence, notice: notice, owner: owner, command: command, session: session)
      if let receipt { return receipt }
      decider.set.keep(notice, among: known)
      return try decider.answerAgain(notice, purchase, owner, session: session)
    }
  }

  /// Books what the evidence that came before the purchase says of it.
  mutating func settleEarlyRefunds(
    of identity: PurchaseIdentity, command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) {
    guard let purchase = set.newPurchase(identity) else { return }
    let evidence = try set.evidence(identity, purchase, session: session)
    let newest = evidence.max { ($0.signedAt, $0.kind.rawValue) < ($1.signedAt, $1.kind.rawValue) }
    guard let newest else { return }
    let owner = try owner(of: purchase, session: session)
    _ = try settle(purchase, evidence: evidence, notice: newest, owner: owner, command: command, session: session)
  }

  /// Brings what is clawed back of the purchase to what the evidence says; nil where it is there already.
  private mutating func settle(
    _ purchase: PurchaseRow, evidence: [RefundEvidenceRow], notice: RefundEvidenceRow, owner: CustomerRow,
    command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt? {
    let share = RefundRules.share(of: evidence, quantity: purchase.quantity)
    let before = purchase.refund?.share ?? .none
    guard share != before else { return nil }
    var change = RefundChange(purchase: purchase, owner: FoundCustomer(owner, origin: owner.number), to: share)
    (change.granted, change.givenItems) = try given(by: purchase, session: session)
    try settleDues(of: change, session: session)
    if share > before {
      try planTakingBack(&change, session: session)
    } else {
      try planGivingBack(&change, session: session)
    }
    return try book(
      change, notice: notice, evidenceAt: RefundRules.newest(evidence), owner: owner, command: command,
      session: session)
  }

  /// Books what came about by itself before: a hold that ended may have given back what the refund had let go.
  private mutating func settleDues(of change: RefundChange, session: any StorageSnapshot) throws(LedgerError) {
    plans.removeAll(keepingCapacity: true)
    for granted in change.granted {
      let number = AccountNumber(customer: change.owner.number, currency: granted.currency.number)
      let slot = try set.slot(of: number, session: session)
      guard isDue(slot, granted.currency) else { continue }
      try settleDues(slot, granted.currency, customer: change.owner, session: session)
    }
  }

  private mutating func book(
    _ change: RefundChange, notice: RefundEvidenceRow, evidenceAt: Timestamp, owner: CustomerRow,
    command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    plans.removeAll { $0.amount == 0 }
    var receipt = try book(
      change.isTakingBack ? .refund : .reversedRefund, command: command, customer: change.owner, session: session)
    receipt.customer = owner.id
    let transaction = set.sequences.transaction
    receipt.isOverMaximum =
      !change.isTakingBack
      && plans.contains { plan in
        set.accounts[plan.slot].row.balance > plan.currency.maximumBalance
      }
    try addItems(try items(of: change, session: session), to: &receipt, change.owner, session)
    let freezes = try freeze(owner, after: change, session: session)
    let refund = RefundRow(
      transaction: transaction, purchase: change.purchase.number, kind: notice.kind, revokedAt: notice.revokedAt,
      signedAt: notice.signedAt, extent: notice.extent, evidenceAt: evidenceAt, share: change.share, freezes: freezes)
    set.add(refund, change.parts)
    return receipt
  }

  // MARK: Answers

  /// The receipt of what was booked for such a notice before; one without entries where nothing was.
  private func answerAgain(
    _ notice: RefundEvidenceRow, _ purchase: PurchaseRow, _ owner: CustomerRow, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let refunds = try set.refunds(of: purchase, session: session)
    let same =
      refunds.last { $0.kind == notice.kind && $0.revokedAt == notice.revokedAt }
      ?? refunds.last { $0.kind != .reclaim }
    guard let same else {
      return receiptWithoutBooking(owner.id, notice, isReplayed: true, isAwaitingPurchase: false)
    }
    // A refund before a merge was booked for whom the purchase was with then.
    let owners = try set.numbers(of: owner.number, session: session)
    return try replay(same.transaction, ofAny: owners, customer: owner.id, session: session)
  }

  private func receiptWithoutBooking(
    _ customer: CustomerID, _ notice: RefundEvidenceRow, isReplayed: Bool, isAwaitingPurchase: Bool
  ) -> Receipt {
    Receipt(
      transactionID: nil, customer: customer, kind: notice.kind == .refund ? .refund : .reversedRefund,
      createdAt: set.now, entries: CompactList([]), isReplayed: isReplayed, isAwaitingPurchase: isAwaitingPurchase)
  }

  /// As ``once``, but a key is kept only for what was booked under it.
  private mutating func onceWhereBooked(
    _ command: LedgerCommand.Body, owner: CustomerRow, session: any StorageSnapshot,
    decide: (inout Self) throws(LedgerError) -> Receipt
  ) throws(LedgerError) -> Receipt {
    guard let key = command.key else { return try decide(&self) }
    let customer = FoundCustomer(owner, origin: owner.number)
    if let row = try earlier(underAnyNumberOf: customer, key, command: command, session: session) {
      var answer = try answer(row, under: key, command: command, session: session)
      answer.customer = owner.id
      return answer
    }
    let receipt = try decide(&self)
    if !receipt.isReplayed { keepBooking(under: key, command: command, customer: owner.number) }
    return receipt
  }
}
