/// Currency that is back in the lot that it came from.
struct ReturnedCurrency {
  let slot: Int
  let place: LotPlace
  let lot: LotNumber
  let source: LotSource
  var amount: Int64
}

// What comes back with a reversal or a release may have come too late, or belong to a purchase that was refunded
// meanwhile. It goes back into its lot all the same, so that the journal says where it was, and leaves it at once.

extension Decider {
  /// Ends a hold whose deadline is past.
  mutating func lapse(_ hold: HoldRow, owner: FoundCustomer, session: any StorageSnapshot) throws(LedgerError) {
    let parts = try outstanding(of: hold, owner: owner, session: session)
    let number = appendTransactionWithoutEntries(.release, customer: owner.number)
    let returns = try giveBack(parts, of: hold, in: number, session: session)
    set.end(hold)
    let before = Dictionary(returns.map { ($0.slot, set.accounts[$0.slot].row) }) { first, _ in first }
    var extras = ReceiptExtras()
    _ = try settle(returns, after: number, owner: owner, &extras, session: session)
    guard terms.hasPolicies else { return }
    for (slot, row) in before { keepLosses(since: row, slot: slot, returns, deadline: hold.deadline) }
  }

  /// Remembers when what the end of a hold took from an account was lost: with its lot, or at the deadline.
  private mutating func keepLosses(
    since before: AccountRow, slot: Int, _ returns: [ReturnedCurrency], deadline: Timestamp
  ) {
    let row = set.accounts[slot].row
    var rest = before.balance - row.balance
    for returned in returns where returned.slot == slot && returned.place != .pool {
      let expiresAt = set.books[set.book(of: slot)][returned.place].row.expiresAt
      guard expiresAt > deadline.milliseconds, expiresAt <= set.now.milliseconds else { continue }
      lapsed[slot, default: []].append(
        ScheduleRules.Loss(at: expiresAt, amount: returned.amount, lot: returned.lot))
      rest -= returned.amount
    }
    guard rest > 0 else { return }
    lapsed[slot, default: []].append(
      ScheduleRules.Loss(at: deadline.milliseconds, amount: rest, repaid: before.debt - row.debt))
  }

  /// Puts back what a hold has set aside.
  mutating func giveBack(
    _ parts: [HeldPart], of hold: HoldRow, in transaction: TransactionNumber, session: any StorageSnapshot
  ) throws(LedgerError) -> [ReturnedCurrency] {
    var returns: [ReturnedCurrency] = []
    // What was held counts as spent from the hold's beginning.
    let begunAt = terms.hasPolicies ? try begun(hold, session: session) : set.now
    for part in parts {
      let slot = try set.slot(of: part.account, session: session)
      let take = try placeReturn(part.amount, to: part.lot, slot: slot, session: session)
      apply([take], slot: slot, isReturn: true)
      set.setAside(-part.amount, slot: slot)
      addEffect(.released, of: part, hold: hold.number, in: transaction, slot: slot)
      if terms.hasPolicies {
        try uncount(part.amount, since: begunAt, slot: slot, by: transaction, session: session)
      }
      returns.append(
        ReturnedCurrency(slot: slot, place: take.place, lot: take.lot, source: take.source, amount: part.amount))
    }
    return returns
  }

  func begun(_ hold: HoldRow, session: any StorageSnapshot) throws(LedgerError) -> Timestamp {
    if let known = hold.begunAt { return known }
    return try begun(hold.number, session: session)
  }

  func begun(_ hold: TransactionNumber, session: any StorageSnapshot) throws(LedgerError) -> Timestamp {
    if let own = set.transaction(hold) { return own.createdAt }
    guard let row = try session.transaction(hold) else {
      throw LedgerError(.storageDamaged, "The journal lacks transaction \(hold); run verify.")
    }
    return row.createdAt
  }

  /// Books what came back too late as expired, and takes what came back to refunded purchases for what their refunds
  /// let go.
  ///
  /// - Returns: The entries of both.
  mutating func settle(
    _ returns: [ReturnedCurrency], after transaction: TransactionNumber, owner: FoundCustomer,
    _ extras: inout ReceiptExtras, session: any StorageSnapshot
  ) throws(LedgerError) -> [PostedEntry] {
    var (late, refunded): ([ReturnedCurrency], [Int64: [ReturnedCurrency]]) = ([], [:])
    for returned in returns where returned.place != .pool && returned.amount > 0 {
      let row = set.books[set.book(of: returned.slot)][returned.place].row
      if row.expiresAt <= set.now.milliseconds {
        late.append(returned)
      } else if let purchase = row.purchase {
        refunded[purchase, default: []].append(returned)
      } else if let purchase = try refundedPurchase(behind: row, of: owner, session: session) {
        refunded[purchase, default: []].append(returned)
      }
    }
    var entries: [PostedEntry] = []
    if !late.isEmpty {
      entries += expire(late, after: transaction, owner: owner)
      extras.expired = amounts(of: entries)
    }
    var taken: [ReturnedCurrency] = []
    for (purchase, returns) in refunded.sorted(by: { $0.key < $1.key }) {
      entries += try reclaim(
        returns, of: purchase, after: transaction, owner: owner, &taken, session: session)
    }
    entries += repayDebts(of: returns, besides: late + taken, after: transaction, owner: owner, &taken)
    for returned in taken {
      guard let code = terms.currency(number: set.accounts[returned.slot].row.number.currency)?.code else { continue }
      extras.reclaimed = Self.sum(extras.reclaimed, [CurrencyAmount(currency: code, amount: returned.amount)])
    }
    return entries
  }

  // MARK: Owed meanwhile

  /// Takes what came back for what the account owes, as every credit is: else a balance stood beside a debt.
  private mutating func repayDebts(
    of returns: [ReturnedCurrency], besides gone: [ReturnedCurrency], after transaction: TransactionNumber,
    owner: FoundCustomer, _ taken: inout [ReturnedCurrency]
  ) -> [PostedEntry] {
    var (parts, repaid): ([ReturnedCurrency], [Int: Int64]) = ([], [:])
    for returned in returns {
      let lost = gone.filter { $0.slot == returned.slot && $0.lot == returned.lot }.reduce(0) { $0 + $1.amount }
      let debt = set.accounts[returned.slot].row.debt - (repaid[returned.slot] ?? 0)
      var part = returned
      part.amount = min(returned.amount - lost, debt)
      guard part.amount > 0 else { continue }
      parts.append(part)
      repaid[returned.slot, default: 0] += part.amount
    }
    guard !parts.isEmpty else { return [] }
    let number = appendTransaction(.mixed, customer: owner.number)
    var entries: [PostedEntry] = []
    for (slot, amount) in repaid.sorted(by: { $0.key < $1.key }) {
      entries += cancelDebt(amount, slot: slot, in: number)
    }
    entries += takeBack(parts, .refund, in: number, marking: .reclaimed, about: transaction)
    taken += parts
    return entries.sorted { $0.currency < $1.currency }
  }

  // MARK: Too late

  private mutating func expire(
    _ late: [ReturnedCurrency], after transaction: TransactionNumber, owner: FoundCustomer
  ) -> [PostedEntry] {
    let number = appendTransaction(.expiry, customer: owner.number)
    return takeBack(late, .expiry, in: number, marking: .late, about: transaction)
  }

  /// Takes what is back out of its lots again: an entry for each account.
  private mutating func takeBack(
    _ returns: [ReturnedCurrency], _ kind: EntryKind, in number: TransactionNumber, marking mark: EffectRow.Kind,
    about transaction: TransactionNumber
  ) -> [PostedEntry] {
    var entries: [PostedEntry] = []
    var slots: [Int] = []
    for returned in returns where !slots.contains(returned.slot) { slots.append(returned.slot) }
    for slot in slots {
      let own = returns.filter { $0.slot == slot }
      let takes = own.map { LotTake(place: $0.place, lot: $0.lot, source: $0.source, amount: -$0.amount) }
      apply(takes, slot: slot, isReturn: false)
      let entry = set.sequences.drawEntry()
      let (lot, allocations) = allocate(takes, entry: entry, isWhole: true)
      let account = set.accounts[slot].row.number
      guard let code = terms.currency(number: account.currency)?.code else { continue }
      entries.append(
        record(
          entry, of: number, kind, slot, code, amount: takes.reduce(0) { $0 + $1.amount }, debtChange: 0, lot: lot,
          allocations: allocations))
      for returned in own {
        set.add(
          EffectRow(
            transaction: number, position: 0, customer: account.customer, kind: mark, target: transaction,
            currency: account.currency, lot: returned.lot, amount: returned.amount, createdAt: set.now,
            heldAfter: set.accounts[slot].row.held))
      }
    }
    return entries
  }

  // MARK: Refunded meanwhile

  mutating func reclaim(
    _ returns: [ReturnedCurrency], of number: Int64, after transaction: TransactionNumber, owner: FoundCustomer,
    _ all: inout [ReturnedCurrency], session: any StorageSnapshot
  ) throws(LedgerError) -> [PostedEntry] {
    guard let purchase = try purchase(number, session: session), let state = purchase.refund else { return [] }
    var outstanding = try outstandingParts(of: purchase, session: session)
    let granted = try given(by: purchase, session: session).granted
    var taken: [ReturnedCurrency] = []
    var repaid: [Int: Int64] = [:]
    var parts: [RefundChange.Part] = []
    for returned in returns {
      let account = set.accounts[returned.slot].row
      let lots = granted.filter { $0.currency.number == account.number.currency }.flatMap(\.lots).map(\.lot)
      var rest = returned.amount
      for index in outstanding.indices where rest > 0 && lots.contains(outstanding[index].lot) {
        let (lot, kind, amount) = (outstanding[index].lot, outstanding[index].kind, outstanding[index].amount)
        guard kind == .short || kind == .owed else { continue }
        // What is owed may be repaid already.
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
    let refund = appendTransaction(.refund, customer: owner.number)
    var entries: [PostedEntry] = []
    for (slot, amount) in repaid.sorted(by: { $0.key < $1.key }) {
      entries.append(contentsOf: cancelDebt(amount, slot: slot, in: refund))
    }
    let takes = takeBack(taken, .refund, in: refund, marking: .reclaimed, about: transaction)
    all += taken
    entries += takes
    try book(parts, of: purchase, state, in: refund, outstanding: outstanding, owner: owner, session: session)
    return entries.sorted { $0.currency < $1.currency }
  }

  /// Takes back that something is owed; what is taken for it has an entry of its own.
  private mutating func cancelDebt(_ amount: Int64, slot: Int, in refund: TransactionNumber) -> [PostedEntry] {
    guard let code = terms.currency(number: set.accounts[slot].row.number.currency)?.code else { return [] }
    let entry = set.sequences.drawEntry()
    return [
      record(
        entry, of: refund, .reversedRefund, slot, code, amount: amount, debtChange: -amount, lot: 0,
        allocations: CompactList([]))
    ]
  }

  /// Writes down that what a refund had let go was taken after all; the share that is clawed back stays.
  private mutating func book(
    _ parts: [RefundChange.Part], of purchase: PurchaseRow, _ state: RefundStateRow, in transaction: TransactionNumber,
    outstanding: [RefundChange.Part], owner: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) {
    var change = RefundChange(purchase: purchase, owner: owner, to: state.share)
    change.isMadeGood = !outstanding.contains { $0.kind == .short && $0.amount > 0 }
    let row = try set.knownCustomer(owner.number, session: session)
    let freezes = try freeze(row, after: change, session: session)
    let refund = RefundRow(
      transaction: transaction, purchase: purchase.number, kind: .reclaim, revokedAt: state.evidenceAt,
      signedAt: state.evidenceAt, share: state.share, freezes: freezes)
    set.add(refund, parts)
  }

  func purchase(_ number: Int64, session: any StorageSnapshot) throws(LedgerError) -> PurchaseRow? {
    if let new = set.changes.purchases.first(where: { $0.number == number }) { return set.withRefund(new) }
    guard var row = try session.purchase(number: number) else { return nil }
    if set.instant != nil { row.refund = try set.refunds(of: row, session: session).last?.state }
    return set.withRefund(row)
  }

  // MARK: Sums

  private func amounts(of entries: [PostedEntry]) -> [CurrencyAmount] {
    Self.sum([], entries.map { CurrencyAmount(currency: $0.currency, amount: -$0.amount) })
  }

  static func sum(_ one: [CurrencyAmount], _ other: [CurrencyAmount]) -> [CurrencyAmount] {
    var sums = one
    for amount in other {
      if let index = sums.firstIndex(where: { $0.currency == amount.currency }) {
        sums[index] = CurrencyAmount(currency: amount.currency, amount: sums[index].amount + amount.amount)
      } else {
        sums.append(amount)
      }
    }
    if sums.count > 1 { sums.sort { $0.currency < $1.currency } }
    return sums
  }
}
