extension Decider {
  /// What a key of a customer who became one with others was used for: of the id as named first, then of the others.
  ///
  /// Several of the others may have used it before they became one. Then the same request is the one that is meant.
  mutating func earlier(
    underAnyNumberOf customer: FoundCustomer, _ key: IdempotencyKey, command: LedgerCommand.Body,
    session: any StorageSnapshot
  ) throws(LedgerError) -> KeyRow? {
    let numbers = try set.numbers(of: customer.number, session: session)
    if let own = try earlier(key, command: command, customer: customer.origin, session: session) { return own }
    var other: KeyRow?
    for number in numbers where number != customer.origin {
      guard let row = try earlier(key, command: command, customer: number, session: session) else { continue }
      if row.fingerprint.differingField(from: command.fingerprint) == nil { return row }
      other = other ?? row
    }
    return other
  }

  /// Repays what the customer owes out of what the plan brings in: first from the lots that burn first.
  ///
  /// The credit goes to its lots whole and out of them again, so that a lot still says what was granted and paid.
  mutating func repayDebt(of index: Int) {
    // What came back to a lot whose time is over is gone, and repays nothing.
    let slot = plans[index].slot
    let credits = plans[index].takes.filter { $0.amount > 0 && !isOver($0.place, slot: slot) }
    let debt = set.accounts[plans[index].slot].row.debt + plans[index].debtChange
    let repaid = min(debt, credits.reduce(0) { $0 + $1.amount })
    guard repaid > 0 else { return }
    let paidFirst = plans[index].currency.burnsPaidFirst
    let ordered =
      credits.filter { ($0.source == .paid) == paidFirst } + credits.filter { ($0.source == .paid) != paidFirst }
    var rest = repaid
    for credit in ordered where rest > 0 {
      let part = min(rest, credit.amount)
      plans[index].takes.append(
        LotTake(place: credit.place, lot: credit.lot, source: credit.source, amount: -part))
      rest -= part
    }
    plans[index].debtChange -= repaid
  }

  private mutating func isOver(_ place: LotPlace, slot: Int) -> Bool {
    place != .pool && set.books[set.book(of: slot)][place].row.expiresAt <= set.now.milliseconds
  }

  /// What a spend of that amount takes from the lots as they are, apart from what `taken` takes already.
  mutating func burn(
    _ amount: Int64, slot: Int, besides taken: [LotTake] = [], paidFirst: Bool, session: any StorageSnapshot
  ) throws(LedgerError) -> [LotTake] {
    guard amount > 0 else { return [] }
    let index = set.book(of: slot)
    while true {
      var (account, book) = (set.accounts[slot].row, set.books[index])
      for take in taken {
        if take.place == .pool {
          account.poolRemaining += take.amount
        } else {
          book[take.place].row.remaining += take.amount
        }
      }
      switch BurnPlanner.spend(
        amount, account: account, book: book, now: set.now.milliseconds, paidFirst: paidFirst)
      {
      case .needsLots(let paid): try loadLots(slot: slot, book: index, paid: paid, session: session)
      case .takes(let takes):
        guard takes.reduce(0, { $0 + $1.amount }) == -amount else { throw .lotsDisagree(set.accounts[slot].row) }
        return takes
      }
    }
  }
}
