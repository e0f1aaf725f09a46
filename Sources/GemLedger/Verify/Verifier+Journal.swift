extension Verifier {
  /// Replays the journal's entries of the window's customers.
  mutating func replayJournal(
    _ replay: inout Replay, upTo last: Sequences, progress: (Int64) -> Void
  ) throws(LedgerError) {
    var journal = JournalScan(scan)
    var previous: EntryNumber = 0
    var previousTransaction: TransactionNumber = 0
    while let entry = try journal.nextEntry() {
      if replay.isFirst, entry.number != previous + 1 {
        report("entries_are_complete", "entries \(previous + 1) to \(entry.number - 1) are missing")
      }
      previous = entry.number
      let transaction = try journal.transaction(of: entry)
      let allocations = try journal.allocations(of: entry)
      if replay.isFirst {
        checkTransaction(transaction, of: entry, replay)
        if entry.transaction != previousTransaction { checkBeginning(of: transaction, entry) }
      }
      previousTransaction = entry.transaction
      if replay.covers(entry.account) {
        tally(entry)
        let before = replay.accounts[entry.account]?.balance ?? 0
        replayEntry(entry, &replay)
        replayAllocations(entry, allocations, change: Int128(entry.balance) - Int128(before), &replay)
        try checkAnchor(of: entry)
      }
      if entry.number & 0xFFFF == 0 { progress(entry.number) }
    }
    if replay.isFirst { try checkTransactions(upTo: last) }
  }

  private mutating func tally(_ entry: EntryRow) {
    guard books[entry.account.currency] != nil else {
      report(
        "currencies_are_known",
        "entry \(entry.number) is in currency number \(entry.account.currency), which is not defined")
      return
    }
    books[entry.account.currency]?.kinds[entry.kind, default: 0] += Int128(entry.amount)
  }

  private mutating func replayEntry(_ entry: EntryRow, _ replay: inout Replay) {
    let currency = entry.account.currency
    var account = replay.accounts[entry.account] ?? Replay.Account()
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
  }

  /// A debt grows only by what may take more than there is, and shrinks only by what comes in.
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

  /// Allocations add up to what the balance changed by: to the amount, less what changed a debt.
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
    lot.remaining += Int128(amount)
    if amount > 0 { lot.granted = entry.kind.isReturn ? max(lot.granted, lot.remaining) : lot.granted + Int128(amount) }
    if lot.remaining < 0 {
      report("lots_are_never_overdrawn", "entry \(entry.number) takes more from lot \(number) than it holds")
    }
    replay.lots[number] = lot
  }

  private mutating func checkTransaction(_ transaction: TransactionRow?, of entry: EntryRow, _ replay: Replay) {
    guard let transaction else {
      report(
        "entries_have_transactions", "entry \(entry.number) names transaction \(entry.transaction), which is missing")
      return
    }
    let isMerged =
      transaction.kind == .merge && replay.root(transaction.customer) == replay.root(entry.account.customer)
    if transaction.customer != entry.account.customer, !isMerged {
      report(
        "entries_have_transactions",
        "entry \(entry.number) is of customer number \(entry.account.customer), its transaction "
          + "\(transaction.number) of "
          + "\(transaction.customer)")
    }
    let fits = transaction.kind == .mixed || transaction.kind == entry.kind
    if !fits || entry.kind == .mixed || entry.kind.hasSign(against: entry.amount) {
      report(
        "kinds_fit", currency: entry.account.currency,
        "entry \(entry.number) of \(entry.amount) is of kind \(entry.kind.name) in a transaction of kind "
          + "\(transaction.kind.name)")
    }
  }

  /// A transaction is found by its first entry.
  private mutating func checkBeginning(of transaction: TransactionRow?, _ entry: EntryRow) {
    guard let transaction, transaction.firstEntry != entry.number else { return }
    report(
      "entries_have_transactions",
      "transaction \(transaction.number) begins at entry \(transaction.firstEntry); its first is \(entry.number)")
  }

  private mutating func checkTransactions(upTo last: Sequences) throws(LedgerError) {
    var previous = TransactionRow(
      number: 0, kind: .initial, customer: 0, createdAt: Timestamp(milliseconds: .min), firstEntry: 1)
    while true {
      let page = try scan.transactions(after: previous.number, limit: Self.pageSize)
      if page.isEmpty { break }
      for row in page {
        count(row)
        if row.firstEntry == previous.firstEntry { try checkHistory(of: previous) }
        if row.number != previous.number + 1 {
          report("transactions_are_complete", "transactions \(previous.number + 1) to \(row.number - 1) are missing")
        }
        if row.createdAt < previous.createdAt {
          report("journal_time_goes_on", "transaction \(row.number) is older than the one before it")
        }
        if row.firstEntry < previous.firstEntry {
          report("entries_have_transactions", "transaction \(row.number) begins before the one before it")
        }
        previous = row
      }
    }
    if previous.firstEntry > last.entry { try checkHistory(of: previous) }
  }

  private mutating func count(_ row: TransactionRow) {
    switch row.kind {
    case .purchase: purchaseCount += 1
    case .refund, .reversedRefund: refundTransactionCount += 1
    case .freeze, .unfreeze:
      freezeEvents.append(
        FreezeEvent(transaction: row.number, customer: row.customer, kind: .byPerson(row.kind == .freeze)))
    default: break
    }
  }

  /// A transaction without entries is found in its customer's history.
  private mutating func checkHistory(of row: TransactionRow) throws(LedgerError) {
    guard row.number > 0 else { return }
    let found = try snapshot.transactionsWithoutEntries(of: row.customer, below: row.number + 1, limit: 1)
    if found != [row.number] {
      report(
        "histories_are_complete",
        "transaction \(row.number) without entries is missing in the history of customer number \(row.customer)")
    }
    if try snapshot.customer(number: row.customer) == nil {
      report("customers_are_known", "transaction \(row.number) is of customer number \(row.customer), who has no row")
    }
  }

  /// What will be made next gets a number that nothing has.
  mutating func checkSequences() throws(LedgerError) {
    let last = try snapshot.last(.lot)
    if last < highestLot {
      report("sequences_go_on", "the next lot would be number \(last + 1); lot \(highestLot) is there already")
    }
  }
}

extension EntryKind {
  /// Whether an entry of this kind and amount has the wrong sign.
  fileprivate func hasSign(against amount: Int64) -> Bool {
    switch self {
    case .purchase, .grant, .reversedRefund, .recharge, .initial: amount < 0
    case .spend, .expiry, .refund: amount > 0
    case .reversal, .transfer, .exchange, .merge, .mixed: false
    // These touch no balance.
    case .freeze, .unfreeze: true
    }
  }
}

/// Reads entries with their transactions and allocations, all in the order of entries, a page at a time.
private struct JournalScan {
  private let scan: any StorageScan
  private var entries: ArraySlice<EntryRow> = []
  private var transactions: ArraySlice<TransactionRow> = []
  private var allocations: ArraySlice<AllocationRow> = []
  private var lastEntry: EntryNumber = 0
  private var lastTransaction: TransactionNumber = 0
  private var lastAllocation: AllocationRow?
  private var hasMoreAllocations = true

  init(_ scan: any StorageScan) { self.scan = scan }

  mutating func nextEntry() throws(LedgerError) -> EntryRow? {
    if entries.isEmpty { entries = try scan.entries(after: lastEntry, limit: Verifier.pageSize)[...] }
    guard let entry = entries.popFirst() else { return nil }
    lastEntry = entry.number
    return entry
  }

  mutating func transaction(of entry: EntryRow) throws(LedgerError) -> TransactionRow? {
    while true {
      if transactions.isEmpty {
        transactions = try scan.transactions(after: lastTransaction, limit: Verifier.pageSize)[...]
      }
      guard let first = transactions.first else { return nil }
      if first.number >= entry.transaction { return first.number == entry.transaction ? first : nil }
      lastTransaction = first.number
      transactions.removeFirst()
    }
  }

  mutating func allocations(of entry: EntryRow) throws(LedgerError) -> [AllocationRow] {
    var own: [AllocationRow] = []
    while true {
      if allocations.isEmpty, hasMoreAllocations {
        allocations = try scan.allocations(after: lastAllocation, limit: Verifier.pageSize)[...]
        hasMoreAllocations = allocations.count == Verifier.pageSize
      }
      guard let first = allocations.first, first.entry <= entry.number else { return own }
      if first.entry == entry.number { own.append(first) }
      lastAllocation = first
      allocations.removeFirst()
    }
  }
}
