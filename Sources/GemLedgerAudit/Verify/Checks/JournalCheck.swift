internal import GemLedger

/// Checks that the journal is complete and in order, entry by entry.
struct JournalCheck {
  /// The counts of the journal's transactions.
  var tally: JournalTally { transactions.tally }

  private let context: VerifyContext
  private var transactions: TransactionCheck
  private var exchanges: ExchangeCheck
  private var previous: EntryNumber = 0
  private var count: Int64 = 0

  init(_ context: VerifyContext) {
    self.context = context
    transactions = TransactionCheck(context)
    exchanges = ExchangeCheck(context)
  }

  mutating func add(_ entry: EntryRow, _ merges: MergedCustomers) throws(LedgerError) {
    if context.counts == nil, entry.number != previous + 1 {
      context.report("entries_are_complete", "entries \(previous + 1) to \(entry.number - 1) are missing")
    }
    previous = entry.number
    count += 1
    try transactions.check(entry, merges)
    if entry.kind == .exchange { exchanges.add(entry) }
  }

  /// Checks the newest exchange, which is complete after the last entry.
  mutating func finishExchanges() { exchanges.finish() }

  /// Reads the transactions after the last entry, and compares the rows with the storage's counts.
  mutating func finish() throws(LedgerError) {
    try transactions.finish()
    guard let counts = context.counts else { return }
    if counts.transactions != tally.transactions {
      context.report(
        "transactions_are_complete",
        "there are \(tally.transactions) transactions; the storage counted \(counts.transactions)")
    }
    if counts.entries != count {
      context.report("entries_are_complete", "there are \(count) entries; the storage counted \(counts.entries)")
    }
  }
}

/// The counts of the journal's transactions, for the checks after the replay.
struct JournalTally {
  private(set) var transactions: Int64 = 0
  /// The number of refunds and reversals of refunds.
  private(set) var refunds: Int64 = 0
  /// The number of transactions of each kind that always has effects.
  private(set) var eventKinds: [EntryKind: Int64] = [:]
  /// The customers with a booked erasure.
  private(set) var erased: Set<CustomerNumber> = []
  /// The transactions in which operators froze customers and ended freezes.
  private(set) var freezes: [FreezeEvent] = []

  mutating func add(_ row: TransactionRow) {
    transactions += 1
    switch row.kind {
    case .refund, .reversedRefund: refunds += 1
    case .freeze, .unfreeze, .erase:
      if row.kind == .erase { erased.insert(row.customer) }
      freezes.append(
        FreezeEvent(transaction: row.number, customer: row.customer, kind: .byPerson(row.kind != .unfreeze)))
    case .hold, .extend, .release, .capture, .reversal: eventKinds[row.kind, default: 0] += 1
    default: break
    }
  }
}
