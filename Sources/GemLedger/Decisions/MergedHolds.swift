/// An open hold of a merged customer.
struct MovingHold {
  let row: HoldRow
  let parts: [HeldPart]
}

/// The part of such a hold that lies in one lot.
struct MovingPart {
  let hold: TransactionNumber
  let part: HeldPart
}

/// Moves open holds and counts from one customer to another.
enum MergedHolds {
  static func movingHolds(
    _ set: inout WorkingSet, of source: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> [MovingHold] {
    var holds: [MovingHold] = []
    for row in try set.holds(of: source.number, session: session) {
      holds.append(
        MovingHold(row: row, parts: try HeldCurrency.outstanding(&set, of: row, owner: source, session: session)))
    }
    return holds
  }

  /// Puts held currency back into its lots, so that it moves with them.
  static func putBackHeld(
    _ set: inout WorkingSet, _ slot: Int, _ holds: [MovingHold], session: any StorageSnapshot
  ) throws(LedgerError) -> [MovingPart] {
    let account = set.accounts[slot].row.number
    var held: [MovingPart] = []
    for hold in holds {
      for part in hold.parts where part.account == account {
        let take = try LotPlacement.placeReturn(&set, part.amount, to: part.lot, slot: slot, session: session)
        LotMoves.apply(&set, [take], slot: slot, isReturn: true)
        held.append(MovingPart(hold: hold.row.number, part: part))
      }
    }
    return held
  }

  /// Sets the part aside again, out of the lot that it moved to.
  static func setAsideAgain(
    _ set: inout WorkingSet, _ held: MovingPart, at place: LotTake, _ pair: MergedAccount,
    transaction: TransactionNumber
  ) {
    let (part, account) = (held.part, set.accounts[pair.into].row.number)
    var take = place
    take.amount = -part.amount
    LotMoves.apply(&set, [take], slot: pair.into, isReturn: true)
    set.setAside(-part.amount, slot: pair.from)
    HeldCurrency.addEffect(&set, .released, of: part, hold: held.hold, in: transaction, slot: pair.from)
    set.setAside(part.amount, slot: pair.into)
    HeldCurrency.addEffect(
      &set, .held, of: HeldPart(account: account, lot: take.lot, amount: part.amount), hold: held.hold, in: transaction,
      slot: pair.into)
  }

  /// Moves the hold's row to the surviving customer, with its held part there.
  static func move(
    _ set: inout WorkingSet, _ hold: MovingHold, from source: FoundCustomer, to target: FoundCustomer,
    session: any StorageSnapshot
  ) throws(LedgerError) {
    var row = HoldRow(number: hold.row.number, customer: target.number, deadline: hold.row.deadline)
    let owners = try set.numbers(of: source, session: session) + [target.number]
    let effects = try set.effects(about: row.number, ofAny: owners, session: session)
    row.sole = HeldPart.sole(HoldRules.outstanding(effects, of: target.number))
    set.set(row)
  }

  static func moveDue(_ set: inout WorkingSet, _ pair: MergedAccount) {
    let next = set.accounts[pair.from].row.nextDue
    set.accounts[pair.from].row.nextDue = .max
    set.accounts[pair.into].row.nextDue = min(set.accounts[pair.into].row.nextDue, next)
  }

  /// Adds the counts of both customers where they are of the same period; otherwise the later period counts.
  static func moveCounts(
    _ decider: inout Decider, from source: FoundCustomer, to target: FoundCustomer, transaction: TransactionNumber,
    session: any StorageSnapshot
  ) throws(LedgerError) {
    for row in try decider.set.counts(of: source.number, session: session) {
      decider.set.end(row)
      // The surviving customer's recharge has a clock of its own.
      guard row.key.kind != .recharged else { continue }
      let own = try decider.set.count(row.key, of: target.number, session: session)
      // Of two allowances in one period, the surviving customer's counts, whenever in the period either began.
      let per =
        row.key.kind == .allowed ? decider.terms.currency(subject: row.key.subject)?.policies?.allowance?.per : nil
      if let own, let per,
        per.count(from: Timestamp(milliseconds: own.period), to: Timestamp(milliseconds: row.period)) <= 0
      {
        continue
      }
      let merged = CountRules.merged(row, with: own, of: target.number)
      if merged != own { decider.set.set(merged, by: transaction) }
    }
  }
}
