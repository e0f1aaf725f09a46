internal import GemLedger

extension Verifier {
  /// Replays the journal's entries of the window's customers.
  mutating func replayJournal(_ replay: inout Replay, progress: (Int64) -> Void) throws(LedgerError) {
    var journal = JournalScan(scan)
    var walk = TransactionWalk(scan)
    var events = try JournalEventWalk(scan)
    var sums = EntrySums()
    var previous: EntryNumber = 0
    var count: Int64 = 0
    while let entry = try journal.nextEntry() {
      if count % Self.touchedCount == 0 { touch(journal.upcoming.prefix(Int(Self.touchedCount)), replay) }
      let allocations = try journal.allocations(of: entry)
      if replay.isFirst {
        if counts == nil, entry.number != previous + 1 {
          report("entries_are_complete", "entries \(previous + 1) to \(entry.number - 1) are missing")
        }
        try checkTransaction(of: entry, &walk, replay)
        if entry.kind == .exchange { enterExchange(entry) }
      }
      previous = entry.number
      if entry.transaction >= events.next || replay.events.isWaiting {
        try replayEvents(through: entry.transaction, &events, &replay)
      }
      if replay.covers(entry.account) {
        sums.add(entry)
        checkCurrency(of: entry)
        let before = replayEntry(entry, &replay)
        replayAllocations(entry, allocations, change: Int128(entry.balance) - Int128(before), &replay)
        if entry.kind.burns { try expectBurn(of: entry, allocations, replay) }
        try expectCheckpoint(of: entry)
      }
      count += 1
      if count & 0xFFFF == 0 { progress(count) }
    }
    tally(sums)
    try replayLastEvents(&events, &replay)
    try checkExpectedCheckpoints()
    enterExchange(nil)
    try checkBurns(replay)
    if replay.isFirst { try finish(&walk, entryCount: count) }
  }

  /// Customers come in any order; when their rows are read ahead, the waits overlap.
  private mutating func touch(_ entries: ArraySlice<EntryRow>, _ replay: Replay) {
    for entry in entries where replay.covers(entry.account) {
      touched &+= replay.accounts.touch(entry.account.rawValue) &+ replay.lots.touch(entry.lot)
    }
  }

  private mutating func checkCurrency(of entry: EntryRow) {
    let currency = entry.account.currency
    // Most entries are in the currency of the one before.
    guard currency != lastKnownCurrency else { return }
    guard books[currency] != nil else {
      return report(
        "currencies_are_known", "entry \(entry.number) is in currency number \(currency), which is not defined")
    }
    lastKnownCurrency = currency
  }

  private mutating func tally(_ sums: EntrySums) {
    for currency in books.keys {
      for kind in EntryKind.allCases {
        if let sum = sums.sum(kind, currency: currency) { books[currency]?.kinds[kind, default: 0] += sum }
      }
    }
  }

  /// - Returns: The balance before the entry.
  private mutating func replayEntry(_ entry: EntryRow, _ replay: inout Replay) -> Int64 {
    let currency = entry.account.currency
    var account = replay.accounts[entry.account] ?? Replay.Account()
    let before = account.balance
    let expected = Int128(account.balance) - Int128(account.debt) + Int128(entry.amount)
    if Int128(entry.balance) - Int128(entry.debt) != expected {
      report(
        "entries_replay", currency: currency,
        "entry \(entry.number) of \(name(of: entry.account)) records balance \(entry.balance) and debt "
          + "\(entry.debt); the "
          + "replay gives \(expected)")
    }
    checkDebt(of: entry, before: account.debt)
    if entry.version != account.version + 1 || entry.previous != account.lastEntry {
      report(
        "accounts_are_complete", currency: currency,
        "entry \(entry.number) of \(name(of: entry.account)) is version \(entry.version) after entry "
          + "\(entry.previous); "
          + "the replay gives version \(account.version + 1) after entry \(account.lastEntry)")
    }
    account.sum += Int128(entry.amount)
    account.balance = entry.balance
    account.debt = entry.debt
    account.version = entry.version
    account.lastEntry = entry.number
    replay.accounts[entry.account] = account
    return before
  }

  /// Checks that a debt grows only by kinds that may take more than there is, and shrinks only by credits.
  private mutating func checkDebt(of entry: EntryRow, before debt: Int64) {
    let hasCause =
      switch entry.kind {
      case .refund, .reversal, .merge, .initial: true
      default: entry.debt <= debt && (entry.debt == debt || entry.amount > 0)
      }
    if !hasCause {
      report(
        "debts_have_causes", currency: entry.account.currency,
        "entry \(entry.number) of \(name(of: entry.account)) changes the debt from \(debt) to \(entry.debt)")
    }
  }

  /// Checks that allocations add up to the change of the balance: to the amount, less the change of a debt.
  private mutating func replayAllocations(
    _ entry: EntryRow, _ allocations: [AllocationRow], change: Int128, _ replay: inout Replay
  ) {
    if entry.lot != 0 {
      allocate(entry.amount, to: entry.lot, entry, &replay)
      if !allocations.isEmpty {
        report("allocations_make_the_entry", "entry \(entry.number) names one lot and has allocations too")
      }
      return
    }
    let sum = allocations.reduce(Int128(0)) { $0 + Int128($1.amount) }
    if sum != change {
      report(
        "allocations_make_the_entry", currency: entry.account.currency,
        "the allocations of entry \(entry.number) come to \(sum), the balance changed by \(change)")
    }
    for allocation in allocations { allocate(allocation.amount, to: allocation.lot, entry, &replay) }
  }

  private mutating func allocate(_ amount: Int64, to number: LotNumber, _ entry: EntryRow, _ replay: inout Replay) {
    var lot = replay.lots[number] ?? Replay.Lot(account: entry.account)
    if lot.account != entry.account {
      // An empty lot may follow its customer into another one.
      if lot.remaining == 0, replay.areOne(lot.account, entry.account) {
        lot.account = entry.account
      } else {
        report("lots_belong_to_accounts", "entry \(entry.number) falls on lot \(number) of \(name(of: lot.account))")
      }
    }
    highestLot = max(highestLot, number)
    let before = lot.remaining
    lot.remaining += Int128(amount)
    if before == 0 { replay.accounts[entry.account]?.open.open(number) }
    if lot.remaining == 0 { replay.accounts[entry.account]?.open.close(number) }
    if amount < 0, entry.kind.burns { lot.lastSpend = entry.transaction }
    if entry.kind == .expiry, lot.firstExpiry == 0 { lot.firstExpiry = entry.transaction }
    let held = replay.events.heldOfLots.isEmpty ? 0 : replay.events.heldOfLots[number] ?? 0
    let free = lot.remaining - held
    if amount > 0 { lot.granted = entry.kind.isReturn ? max(lot.granted, free) : lot.granted + Int128(amount) }
    if free < 0 {
      report("lots_are_never_overdrawn", "entry \(entry.number) takes more from lot \(number) than it holds")
    }
    replay.lots[number] = lot
  }
}
