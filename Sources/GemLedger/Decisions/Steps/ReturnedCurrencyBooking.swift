/// Currency that was returned to its original lot.
struct ReturnedCurrency {
  let slot: Int
  let lotSlot: LotSlot
  let lot: LotNumber
  let source: LotSource
  var amount: Int64
}

/// Takes returned currency away again if it is late, owed, or of a refunded purchase.
///
/// The currency still returns to its lot first, so that the journal shows the lot, and leaves the lot at once.
extension Bookkeeper {
  /// Books late returns as expired, and takes returns of refunded purchases for the outstanding amounts of their
  /// refunds.
  ///
  /// Other returns repay the account's debt.
  ///
  /// - Returns: The entries of all three.
  mutating func bookDueReturns(
    _ returns: [ReturnedCurrency], after transaction: TransactionNumber, owner: FoundCustomer,
    _ extras: inout BookingExtras
  ) throws(LedgerError) -> [PostedEntry] {
    var (late, refunded): ([ReturnedCurrency], [Int64: [ReturnedCurrency]]) = ([], [:])
    for returned in returns where returned.lotSlot != .pool && returned.amount > 0 {
      let row = work.accounts.lot(returned.lotSlot, of: returned.slot)
      if row.expiresAt <= work.now.milliseconds {
        late.append(returned)
      } else if let purchase = row.purchase {
        refunded[purchase, default: []].append(returned)
      } else if let purchase = try LotLineage.refundedPurchase(work, behind: row, of: owner) {
        refunded[purchase, default: []].append(returned)
      }
    }
    var entries: [PostedEntry] = []
    if !late.isEmpty {
      entries += expire(late, after: transaction, owner: owner)
      extras.expired = CurrencySums.sum(
        [], entries.map { CurrencyAmount(currency: $0.currency, amount: -$0.amount) })
    }
    var taken: [ReturnedCurrency] = []
    for (purchase, returns) in refunded.sorted(by: { $0.key < $1.key }) {
      entries += try reclaim(returns, of: purchase, after: transaction, owner: owner, &taken)
    }
    entries += repayDebts(of: returns, besides: late + taken, after: transaction, owner: owner, &taken)
    for returned in taken {
      guard
        let code = definitions.currency(number: work.accounts[returned.slot].row.number.currency)?.code
      else { continue }
      extras.reclaimed = CurrencySums.sum(extras.reclaimed, [CurrencyAmount(currency: code, amount: returned.amount)])
    }
    return entries
  }

  /// Repays the account's debt with returned currency, as every credit does: otherwise a balance and a debt would
  /// coexist.
  private mutating func repayDebts(
    of returns: [ReturnedCurrency], besides gone: [ReturnedCurrency],
    after transaction: TransactionNumber, owner: FoundCustomer, _ taken: inout [ReturnedCurrency]
  ) -> [PostedEntry] {
    var (parts, repaid): ([ReturnedCurrency], [Int: Int64]) = ([], [:])
    for returned in returns {
      let lost = gone.filter { $0.slot == returned.slot && $0.lot == returned.lot }.reduce(0) { $0 + $1.amount }
      let debt = work.accounts[returned.slot].row.debt - (repaid[returned.slot] ?? 0)
      var part = returned
      part.amount = min(returned.amount - lost, debt)
      guard part.amount > 0 else { continue }
      parts.append(part)
      repaid[returned.slot, default: 0] += part.amount
    }
    guard !parts.isEmpty else { return [] }
    let number = work.journal.appendTransaction(.mixed, of: owner.number)
    var entries: [PostedEntry] = []
    for (slot, amount) in repaid.sorted(by: { $0.key < $1.key }) {
      entries += cancelDebt(amount, slot: slot, in: number)
    }
    entries += takeBack(parts, .refund, in: number, marking: .reclaimed, about: transaction)
    taken += parts
    return entries.sorted { $0.currency < $1.currency }
  }

  private mutating func expire(
    _ late: [ReturnedCurrency], after transaction: TransactionNumber, owner: FoundCustomer
  ) -> [PostedEntry] {
    let number = work.journal.appendTransaction(.expiry, of: owner.number)
    return takeBack(late, .expiry, in: number, marking: .late, about: transaction)
  }

  /// Takes returned currency out of its lots again: one entry for each account.
  private mutating func takeBack(
    _ returns: [ReturnedCurrency], _ kind: EntryKind, in number: TransactionNumber,
    marking mark: JournalEventRow.Kind, about transaction: TransactionNumber
  ) -> [PostedEntry] {
    var entries: [PostedEntry] = []
    var slots: [Int] = []
    for returned in returns where !slots.contains(returned.slot) { slots.append(returned.slot) }
    for slot in slots {
      let own = returns.filter { $0.slot == slot }
      let takes = own.map { LotTake(lotSlot: $0.lotSlot, lot: $0.lot, source: $0.source, amount: -$0.amount) }
      work.accounts.apply(takes, to: slot, isReturn: false)
      let entry = work.journal.sequences.drawEntry()
      let (lot, allocations) = work.journal.allocate(takes, to: entry, isWhole: true)
      let account = work.accounts[slot].row.number
      guard let code = definitions.currency(number: account.currency)?.code else { continue }
      entries.append(
        record(
          entry, of: number, kind, slot, code, amount: takes.reduce(0) { $0 + $1.amount }, debtChange: 0,
          lot: lot,
          allocations: allocations))
      for returned in own {
        work.journal.add(
          JournalEventRow(
            transaction: number, position: 0, customer: account.customer, kind: mark, target: transaction,
            currency: account.currency, lot: returned.lot, amount: returned.amount, createdAt: work.now,
            heldAfter: work.accounts[slot].row.held))
      }
    }
    return entries
  }

  mutating func reclaim(
    _ returns: [ReturnedCurrency], of number: Int64, after transaction: TransactionNumber,
    owner: FoundCustomer, _ all: inout [ReturnedCurrency]
  ) throws(LedgerError) -> [PostedEntry] {
    guard let purchase = try work.purchases.find(number),
      let state = purchase.refund
    else { return [] }
    var outstanding = try RefundedPurchase.outstandingParts(work, of: purchase)
    let granted = try RefundedPurchase.given(self, by: purchase).granted
    var taken: [ReturnedCurrency] = []
    var repaid: [Int: Int64] = [:]
    var parts: [RefundChange.Part] = []
    for returned in returns {
      let account = work.accounts[returned.slot].row
      let lots = granted.filter { $0.currency.number == account.number.currency }.flatMap(\.lots).map(\.lot)
      var rest = returned.amount
      for index in outstanding.indices where rest > 0 && lots.contains(outstanding[index].lot) {
        let (lot, kind, amount) = (outstanding[index].lot, outstanding[index].kind, outstanding[index].amount)
        guard kind == .short || kind == .owed else { continue }
        // The debt may be repaid already.
        let debt = kind == .owed ? account.debt - (repaid[returned.slot] ?? 0) : .max
        let part = min(rest, amount, debt)
        guard part > 0 else { continue }
        rest -= part
        if kind == .owed { repaid[returned.slot, default: 0] += part }
        outstanding[index] = .init(lot: lot, kind: kind, amount: amount - part)
        parts.append(.init(lot: lot, kind: kind, amount: -part))
        parts.append(.init(lot: lot, kind: .taken, source: returned.lot, amount: part))
      }
      guard rest < returned.amount else { continue }
      var own = returned
      own.amount -= rest
      taken.append(own)
    }
    guard !taken.isEmpty else { return [] }
    let refund = work.journal.appendTransaction(.refund, of: owner.number)
    var entries: [PostedEntry] = []
    for (slot, amount) in repaid.sorted(by: { $0.key < $1.key }) {
      entries.append(contentsOf: cancelDebt(amount, slot: slot, in: refund))
    }
    let takes = takeBack(taken, .refund, in: refund, marking: .reclaimed, about: transaction)
    all += taken
    entries += takes
    try work.bookReclaim(parts, of: purchase, state, in: refund, outstanding: outstanding, owner: owner)
    return entries.sorted { $0.currency < $1.currency }
  }

  /// Cancels a debt; the currency taken for it has a separate entry.
  private mutating func cancelDebt(
    _ amount: Int64, slot: Int, in refund: TransactionNumber
  ) -> [PostedEntry] {
    guard let code = definitions.currency(number: work.accounts[slot].row.number.currency)?.code else {
      return []
    }
    let entry = work.journal.sequences.drawEntry()
    return [
      record(
        entry, of: refund, .reversedRefund, slot, code, amount: amount, debtChange: -amount, lot: 0,
        allocations: CompactList([]))
    ]
  }

  /// Takes currency of the customer's refunded purchases for the outstanding amounts of their refunds.
  ///
  /// Exchanges and baskets return such currency as reversals do, and the same rule applies.
  ///
  /// - Returns: The entries of the refunds.
  mutating func reclaimLineage(
    after transaction: TransactionNumber, owner: FoundCustomer, _ extras: inout BookingExtras
  ) throws(LedgerError) -> [PostedEntry] {
    var returned: [Int64: [ReturnedCurrency]] = [:]
    for plan in plans where plan.amount > 0 && !plan.isAllInPool {
      for (credit, take) in zip(plan.credits.filter({ $0.amount > 0 }), plan.takes) {
        guard let purchase = credit.lineage?.purchase else { continue }
        // The part that repaid a debt has left the lot already.
        let rest = plan.takes.filter { $0.lot == take.lot }.reduce(0) { $0 + $1.amount }
        guard rest > 0 else { continue }
        returned[purchase, default: []].append(
          ReturnedCurrency(slot: plan.slot, lotSlot: take.lotSlot, lot: take.lot, source: take.source, amount: rest))
      }
    }
    return try reclaim(returned, after: transaction, owner: owner, &extras)
  }

  /// Takes merged currency of refunded purchases for the outstanding amounts of their refunds.
  ///
  /// Otherwise a second account could keep that currency out of a refund's reach.
  ///
  /// - Returns: The entries of the refunds.
  mutating func reclaimMerged(
    after transaction: TransactionNumber, owner: FoundCustomer, _ extras: inout BookingExtras
  ) throws(LedgerError) -> [PostedEntry] {
    // Only after an unmerge can a purchase and its lot belong to different customers.
    let isParted = try work.customers.isParted(
      FoundCustomer(work.customers.known(owner.number), original: owner.number))
    var returned: [Int64: [ReturnedCurrency]] = [:]
    for currency in definitions.currencies {
      let slot = try work.accounts.slot(of: AccountNumber(customer: owner.number, currency: currency.number))
      guard work.accounts[slot].row.openLots > 0 else { continue }
      try work.accounts.loadAllLots(of: slot)
      for row in work.accounts.lots(of: slot).rows
      where (row.purchase == nil || isParted) && row.remaining > 0
        && row.expiresAt > work.now.milliseconds
      {
        guard let purchase = try LotLineage.lineage(work, of: row).lineage?.purchase,
          let lotSlot = work.accounts.lots(of: slot).lotSlot(of: row.number)
        else { continue }
        returned[purchase, default: []].append(
          ReturnedCurrency(slot: slot, lotSlot: lotSlot, lot: row.number, source: row.source, amount: row.remaining))
      }
    }
    return try reclaim(returned, after: transaction, owner: owner, &extras)
  }

  /// - Parameter returned: The returned currency by the number of its purchase.
  private mutating func reclaim(
    _ returned: [Int64: [ReturnedCurrency]], after transaction: TransactionNumber,
    owner: FoundCustomer, _ extras: inout BookingExtras
  ) throws(LedgerError) -> [PostedEntry] {
    var (entries, taken): ([PostedEntry], [ReturnedCurrency]) = ([], [])
    for (number, returns) in returned.sorted(by: { $0.key < $1.key }) {
      guard try work.isRefunded(number, of: owner) else { continue }
      entries += try reclaim(returns, of: number, after: transaction, owner: owner, &taken)
    }
    for returned in taken {
      guard
        let code = definitions.currency(number: work.accounts[returned.slot].row.number.currency)?.code
      else { continue }
      extras.reclaimed = CurrencySums.sum(extras.reclaimed, [CurrencyAmount(currency: code, amount: returned.amount)])
    }
    return entries
  }
}

extension UnitOfWork {
  /// Records that written-off or owed amounts of a refund were taken after all; the clawed-back share stays the same.
  fileprivate mutating func bookReclaim(
    _ parts: [RefundChange.Part], of purchase: PurchaseRow, _ state: RefundStateRow,
    in transaction: TransactionNumber, outstanding: [RefundChange.Part], owner: FoundCustomer
  ) throws(LedgerError) {
    var change = RefundChange(purchase: purchase, owner: owner, to: state.share)
    change.isMadeGood = !outstanding.contains { $0.kind == .short && $0.amount > 0 }
    let row = try customers.known(owner.number)
    let freezes = try RefundedPurchase.freeze(&self, row, after: change)
    let refund = RefundRow(
      transaction: transaction, purchase: purchase.number, kind: .reclaim, revokedAt: state.evidenceAt,
      signedAt: state.evidenceAt, share: state.share, freezes: freezes)
    purchases.add(refund, parts)
  }
}
