/// An open hold of a merged customer.
struct MovingHold {
  let row: HoldRow
  let parts: [HeldPart]
}

/// The part of such a hold in one lot.
struct MovingPart {
  let hold: TransactionNumber
  let part: HeldPart
}

/// Moves open holds and counts from one customer to another.
enum MergedHolds {
  static func movingHolds(_ work: borrowing UnitOfWork, of source: FoundCustomer) throws(LedgerError) -> [MovingHold] {
    var holds: [MovingHold] = []
    for row in try work.holds.all(of: source.number) {
      holds.append(
        MovingHold(row: row, parts: try HeldCurrency.outstanding(work, of: row, owner: source)))
    }
    return holds
  }

  /// Puts held currency back into its lots, so that it moves with them.
  static func putBackHeld(
    _ work: inout UnitOfWork, _ slot: Int, _ holds: [MovingHold]
  ) throws(LedgerError) -> [MovingPart] {
    let account = work.accounts[slot].row.number
    var held: [MovingPart] = []
    for hold in holds {
      for part in hold.parts where part.account == account {
        let take = try LotPlacement.placeReturn(&work, part.amount, to: part.lot, slot: slot)
        work.accounts.apply([take], to: slot, isReturn: true)
        held.append(MovingPart(hold: hold.row.number, part: part))
      }
    }
    return held
  }

  /// Sets the part aside again, from its new lot.
  static func setAsideAgain(
    _ work: inout UnitOfWork, _ held: MovingPart, in lot: LotTake, _ pair: MergedAccount,
    transaction: TransactionNumber
  ) {
    let (part, account) = (held.part, work.accounts[pair.into].row.number)
    var take = lot
    take.amount = -part.amount
    work.accounts.apply([take], to: pair.into, isReturn: true)
    work.accounts.setAside(-part.amount, slot: pair.from)
    work.addHoldEvent(.released, of: part, hold: held.hold, in: transaction, slot: pair.from)
    work.accounts.setAside(part.amount, slot: pair.into)
    work.addHoldEvent(
      .held, of: HeldPart(account: account, lot: take.lot, amount: part.amount), hold: held.hold,
      in: transaction,
      slot: pair.into)
  }

  /// Moves the hold's row to the surviving customer, with its held part there.
  static func move(
    _ work: inout UnitOfWork, _ hold: MovingHold, from source: FoundCustomer, to target: FoundCustomer
  ) throws(LedgerError) {
    var row = HoldRow(number: hold.row.number, customer: target.number, deadline: hold.row.deadline)
    let owners = try work.customers.numbers(of: source) + [target.number]
    let events = try work.journal.events(about: row.number, ofAny: owners)
    row.sole = HeldPart.sole(HoldRules.outstanding(events, of: target.number))
    work.holds.set(row)
  }

  static func moveDue(_ work: inout UnitOfWork, _ pair: MergedAccount) {
    let next = work.accounts[pair.from].row.nextDue
    work.accounts[pair.from].row.nextDue = .max
    work.accounts[pair.into].row.nextDue = min(work.accounts[pair.into].row.nextDue, next)
  }

  /// Adds the counts of both customers if their periods are equal; otherwise the later period counts.
  static func moveCounts(
    _ books: inout Bookkeeper, from source: FoundCustomer, to target: FoundCustomer, transaction: TransactionNumber
  ) throws(LedgerError) {
    for row in try books.work.counts.all(of: source.number) {
      books.work.endCount(row)
      // The surviving customer's recharge has a separate clock.
      guard row.key.kind != .recharged else { continue }
      let own = try books.work.counts.count(row.key, of: target.number)
      // Of two allowances in one period, the surviving customer's counts, even if it began later.
      let per =
        row.key.kind == .allowed
        ? books.definitions.currency(subject: row.key.subject)?.policies?.allowance?.per : nil
      if let own, let per,
        per.count(from: Timestamp(milliseconds: own.period), to: Timestamp(milliseconds: row.period)) <= 0
      {
        continue
      }
      let merged = CountRules.merged(row, with: own, of: target.number)
      if merged != own { books.work.set(merged, by: transaction) }
    }
  }
}
