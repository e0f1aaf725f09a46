internal import GemLedger

/// Replays the entries of one window's accounts, and compares each entry with the result.
struct AccountReplay {
  struct Account {
    /// The sum of all amounts.
    var sum: Int128 = 0
    /// The state after the newest entry.
    var fold = AccountFold()
    var open = OpenLots()
    // The sums of the lots' rows.
    var lots: Int128 = 0
    var openLots: Int64 = 0
    var firstExpiry: Int64 = .max
    var isSeen = false
  }

  struct Lot {
    var account: AccountNumber
    var fold = LotFold()
    /// The transaction that first expired a part of it, and the transaction that last spent a part; 0 for none.
    var firstExpiry: TransactionNumber = 0
    var lastSpend: TransactionNumber = 0
    var isSeen = false
  }

  let scope: ReplayScope
  let accounts = IntegerMap<Account>()
  let lots = IntegerMap<Lot>()
  /// The held amounts, which the replay of holds changes.
  var held = HeldAmounts()
  /// The highest lot that the window's entries name.
  private(set) var highestLot: LotNumber = 0
  /// The result of the prefetch, which keeps the compiler from removing the reads.
  private var touched: Int64 = 0
  private let context: VerifyContext

  init(_ context: VerifyContext, scope: ReplayScope) {
    self.context = context
    self.scope = scope
  }

  /// Reads rows ahead: customers are in random order, and memory latencies then overlap.
  mutating func touch(_ entries: ArraySlice<EntryRow>) {
    for entry in entries where scope.covers(entry.account) {
      touched &+= accounts.touch(entry.account.rawValue) &+ lots.touch(entry.lot)
    }
  }

  mutating func replay(_ entry: EntryRow, _ allocations: [AllocationRow]) {
    accounts.update(entry.account.rawValue, default: Account()) { account in
      let change = replay(entry, of: &account)
      replay(allocations, of: entry, change: change.balance, &account)
    }
  }

  private func replay(_ entry: EntryRow, of account: inout Account) -> AccountFold.Change {
    let currency = entry.account.currency
    let before = account.fold
    let change = account.fold.add(entry.number, balance: entry.balance, debt: entry.debt)
    if change.amount != Int128(entry.amount) {
      let expected = Int128(before.balance) - Int128(before.debt) + Int128(entry.amount)
      context.report(
        "entries_replay", currency: currency,
        "entry \(entry.number) of \(context.name(of: entry.account)) records balance \(entry.balance) and debt "
          + "\(entry.debt); the replay gives \(expected)")
    }
    checkDebt(of: entry, before: before.debt)
    if entry.version != account.fold.version || entry.previous != before.lastEntry {
      context.report(
        "accounts_are_complete", currency: currency,
        "entry \(entry.number) of \(context.name(of: entry.account)) is version \(entry.version) after entry "
          + "\(entry.previous); the replay gives version \(account.fold.version) after entry \(before.lastEntry)")
      account.fold.version = entry.version
    }
    account.sum += Int128(entry.amount)
    return change
  }

  /// Checks that a debt grows only by kinds that may take more than the balance, and shrinks only by credits.
  private func checkDebt(of entry: EntryRow, before debt: Int64) {
    let hasCause =
      switch entry.kind {
      case .refund, .reversal, .merge, .unmerge, .initial: true
      default: entry.debt <= debt && (entry.debt == debt || entry.amount > 0)
      }
    if !hasCause {
      context.report(
        "debts_have_causes", currency: entry.account.currency,
        "entry \(entry.number) of \(context.name(of: entry.account)) changes the debt from \(debt) to \(entry.debt)")
    }
  }

  /// Checks that allocations add up to the change of the balance: the amount minus the change of a debt.
  private mutating func replay(
    _ allocations: [AllocationRow], of entry: EntryRow, change: Int128, _ account: inout Account
  ) {
    if entry.lot != 0 {
      allocate(entry.amount, to: entry.lot, entry, &account)
      if !allocations.isEmpty {
        context.report("allocations_make_the_entry", "entry \(entry.number) names one lot and also has allocations")
      }
      return
    }
    let sum = allocations.reduce(Int128(0)) { $0 + Int128($1.amount) }
    if sum != change {
      context.report(
        "allocations_make_the_entry", currency: entry.account.currency,
        "the allocations of entry \(entry.number) add up to \(sum), the balance changed by \(change)")
    }
    for allocation in allocations { allocate(allocation.amount, to: allocation.lot, entry, &account) }
  }

  private mutating func allocate(
    _ amount: Int64, to number: LotNumber, _ entry: EntryRow, _ account: inout Account
  ) {
    highestLot = max(highestLot, number)
    lots.update(number, default: Lot(account: entry.account)) { lot in
      let before = lot.fold.remaining
      allocate(amount, to: &lot, number, entry)
      if before == 0 { account.open.open(number) }
      if lot.fold.remaining == 0 { account.open.close(number) }
    }
  }

  private func allocate(_ amount: Int64, to lot: inout Lot, _ number: LotNumber, _ entry: EntryRow) {
    if lot.account != entry.account {
      // An empty lot may follow its customer in a merge.
      if lot.fold.remaining == 0, scope.areOne(lot.account, entry.account) {
        lot.account = entry.account
      } else {
        context.report(
          "lots_belong_to_accounts", "entry \(entry.number) changes lot \(number) of \(context.name(of: lot.account))")
      }
    }
    let held = held.ofLot(number)
    lot.fold.add(amount, isReturn: entry.kind.isReturn, held: held)
    if amount < 0, entry.kind.burns { lot.lastSpend = entry.transaction }
    if entry.kind == .expiry, lot.firstExpiry == 0 { lot.firstExpiry = entry.transaction }
    if lot.fold.remaining < held {
      context.report("lots_are_never_overdrawn", "entry \(entry.number) takes more from lot \(number) than it contains")
    }
  }

  /// Describes a replayed spend of an account with several lots; returns nil if there is no order to check.
  func burn(by entry: EntryRow, _ allocations: [AllocationRow]) -> Burn? {
    let open = accounts[entry.account]?.open ?? OpenLots()
    // Allocations in both directions are not a plain spend: some amount repaid a debt.
    guard entry.amount < 0, allocations.count > 1 || !open.isNone(but: entry.lot),
      allocations.allSatisfy({ $0.amount < 0 })
    else { return nil }
    let lots = entry.lot != 0 ? [entry.lot] : allocations.map(\.lot)
    let others = open.all(but: lots).prefix(OpenLots.comparedCountMax)
    let burn = Burn(
      transaction: entry.transaction, account: entry.account, lots: lots, left: others.filter(isFree),
      isSpentUp: !lots.dropLast().contains(where: isFree))
    return burn.lots.count > 1 || !burn.left.isEmpty ? burn : nil
  }

  /// Whether the lot has an amount that is not held.
  private func isFree(_ lot: LotNumber) -> Bool { (lots[lot]?.fold.remaining ?? 0) != held.ofLot(lot) }
}

/// The held amounts of one window's customers.
struct HeldAmounts {
  /// The held amounts of accounts, without zeros.
  private(set) var accounts: [AccountNumber: Int128] = [:]
  /// The held amounts of lots, without zeros.
  private var lots: [LotNumber: Int128] = [:]

  /// Most ledgers have few holds, so most look-ups find an empty table.
  @inline(__always)
  func ofLot(_ lot: LotNumber) -> Int128 { lots.isEmpty ? 0 : lots[lot] ?? 0 }
  func ofAccount(_ account: AccountNumber) -> Int128 { accounts[account] ?? 0 }

  /// - Returns: The lot's held amount afterwards.
  mutating func move(_ amount: Int128, of lot: LotNumber, in account: AccountNumber) -> Int128 {
    let held = ofAccount(account) + amount
    accounts[account] = held == 0 ? nil : held
    let ofLot = ofLot(lot) + amount
    lots[lot] = ofLot == 0 ? nil : ofLot
    return ofLot
  }
}
