internal import GemLedger

/// Proves the books of one snapshot, window by window of customers.
///
/// It replays the journal, and compares every projection with the result of the replay.
struct Verifier {
  /// For how many transactions keys are looked at together, once they are known to be others.
  static let transactionsPerKeyWindow = 1_000_000
  /// How many customers one pass over the journal replays; bounds the memory, however long the history.
  static let customersPerWindow = 500_000
  /// How many lots one pass should replay at the most.
  static let lotsPerWindow = 1_500_000
  /// For how many entries the replay reads ahead in memory.
  static let touchedCount: Int64 = 64
  /// How many frozen terms are remembered.
  static let productCountMax = 1000

  let snapshot: any StorageSnapshot
  let scan: any StorageScan
  let definitions: CurrencyDefinitions
  let asOf: Timestamp
  private let customersPerWindow: Int
  /// How many rows the storage counted; nil where numbers without gaps say so.
  let counts: JournalCounts?
  private(set) var problems: [Verification.Problem] = []
  private(set) var problemCount = 0
  /// The sums, by currency number.
  var books: [Int64: BooksTally] = [:]
  /// The highest lot that the journal names.
  var highestLot: LotNumber = 0
  var transactionCount: Int64 = 0
  /// With gaps in the numbers: when the newest transaction of each lane was made.
  var laneTimes = [Timestamp](repeating: Timestamp(milliseconds: .min), count: Numbering.laneCountMax)
  /// Transactions that are to be found in histories, gathered until they are worth a question.
  var withoutEntries: [TransactionRow] = []
  /// Likewise, entries that must have anchors.
  var entriesWithCheckpoints: [EntryRow] = []
  /// The surviving customer of each merge.
  var survivors: [TransactionNumber: CustomerNumber] = [:]
  /// How many purchases the journal has.
  var purchaseCount: Int64 = 0
  /// How many refunds and reversals of refunds the journal has.
  var refundTransactionCount: Int64 = 0
  /// How many lots there are.
  var lotCount: Int64 = 0
  var freezeEvents: [FreezeEvent] = []
  /// The customers that an erasure was booked for.
  var erasedCustomers: Set<CustomerNumber> = []
  /// Short names of the counts there are.
  var countKeys: [CountKey: Int32] = [:]
  /// How many transactions the journal has of each kind that never is without effects.
  var eventKindCounts: [EntryKind: Int64] = [:]
  /// The frozen products that were read; nil for one that cannot be read.
  var products: [ByteString: Product?] = [:]
  /// The result of the prefetch, so that the compiler keeps the reads.
  var touched: Int64 = 0
  /// The currency of the newest entry that was in one that there is.
  var lastKnownCurrency: Int64?
  /// How many transactions say that they took amounts that had come back to refunded purchases.
  var reclaimCount: Int64 = 0
  var equations = EquationState()

  init(
    snapshot: any StorageSnapshot, definitions: CurrencyDefinitions, asOf: Timestamp,
    customersPerWindow: Int = Self.customersPerWindow
  ) throws(LedgerError) {
    self.snapshot = snapshot
    self.definitions = definitions
    self.asOf = asOf
    self.customersPerWindow = customersPerWindow
    counts = try snapshot.journalCounts()
    scan = try snapshot.scan()
    for currency in definitions.currencies { books[currency.number] = BooksTally() }
  }

  /// The sum of the digests, and the journal's end.
  var digest: Int64 = 0
  var journalEnd = FeedPosition()

  mutating func run(
    against seal: JournalSeal? = nil, progress: (Int64, Int64) -> Void
  ) throws(LedgerError) -> Verification {
    let integrity = try scan.beginIntegrityCheck()
    var customers: Int64 = 0
    var unreadable: LedgerError?
    do throws(LedgerError) {
      customers = try prove(against: seal, progress: progress)
    } catch {
      guard error.code == .storageDamaged else { throw error }
      unreadable = error
    }
    // The storage's own problems with its pages come before the problem of a row read over them.
    for problem in try integrity() { report("storage_integrity", "the storage says: \(problem)") }
    // Pages in the place of others are sound to a storage; that rows lead back tells.
    if let unreadable, unreadable.isOfOrder { throw unreadable }
    if let unreadable {
      report("storage_integrity", "the proof ended at a row that cannot be read: \(unreadable.message)")
    }
    return Verification(
      asOf: asOf, transactions: transactionCount, customers: customers, currencies: currencyBooks(),
      problems: problems, problemCount: problemCount,
      seal: JournalSeal(transactions: transactionCount, digest: digest, position: journalEnd))
  }

  /// Replays everything and compares.
  ///
  /// - Returns: How many customers there are.
  private mutating func prove(
    against seal: JournalSeal?, progress: (Int64, Int64) -> Void
  ) throws(LedgerError) -> Int64 {
    let survivingCustomers = try replayMerges()
    let windows = try windows()
    let entryCount = try expectedEntryCount()
    for (index, customers) in windows.enumerated() {
      var replay = Replay(customers: customers, isFirst: index == 0, survivingCustomers: survivingCustomers)
      try replayJournal(&replay) {
        progress(Int64(index) * entryCount + min($0, entryCount), Int64(windows.count) * entryCount)
      }
      try compareLots(&replay)
      try compareAccounts(&replay)
      try compareEvents(&replay)
    }
    try checkEvents(survivingCustomers: survivingCustomers)
    try checkCheckpoints()
    try checkSequences()
    try checkKeys()
    try checkPurchases()
    try checkItems()
    try checkOrders()
    try checkLotAttributes()
    try checkRefunds(survivingCustomers: survivingCustomers)
    checkSums()
    try checkDigests(against: seal)
    return try checkCustomers(survivingCustomers: survivingCustomers)
  }

  /// Ranges that hold all numbers of customers, and of those that are in use as many as one pass replays.
  private func windows() throws(LedgerError) -> [Range<CustomerNumber>] {
    var windows: [Range<CustomerNumber>] = []
    var start: CustomerNumber = 0
    let count = try windowSize()
    while let next = try snapshot.customerNumber(after: max(0, start - 1), skipping: count), next > start {
      windows.append(start..<next)
      start = next
    }
    return windows + [start..<CustomerNumber.max]
  }

  /// How many customers a window has: fewer where they have many lots, since every lot ever made is replayed.
  private func windowSize() throws(LedgerError) -> Int {
    // Where numbers have gaps they do not say how many there are.
    guard counts == nil else { return customersPerWindow }
    let (customers, lots) = (try snapshot.last(.customer), try snapshot.last(.lot))
    guard lots > Self.lotsPerWindow, customers < 1 << 40 else { return customersPerWindow }
    return min(customersPerWindow, max(1, Int(customers * Int64(Self.lotsPerWindow) / lots)))
  }

  /// Returns the expected number of entries, for the progress; within bounds even where a row is damaged.
  private func expectedEntryCount() throws(LedgerError) -> Int64 {
    let count = if let counts { counts.entries } else { try snapshot.sequences().entry }
    return max(0, min(count, 1 << 40))
  }

  /// Each once, so that nothing is asked for twice.
  static func distinct(_ customers: some Sequence<CustomerNumber>) -> [CustomerNumber] { Array(Set(customers)) }

  mutating func report(_ equation: String, currency: Int64? = nil, _ message: String) {
    problemCount += 1
    guard problems.count < Verification.problemCountMax else { return }
    let code = currency.flatMap { definitions.currency(number: $0)?.code }
    problems.append(Verification.Problem(equation: equation, currency: code, message: message))
  }

  /// Returns the readable name of an account for a message.
  func name(of account: AccountNumber) -> String {
    let currency = definitions.currency(number: account.currency)?.code.description ?? "currency \(account.currency)"
    return "customer number \(account.customer)'s \(currency)"
  }

  // MARK: The sums

  private mutating func checkSums() {
    for (number, tally) in books.sorted(by: { $0.key < $1.key }) {
      let entries = tally.kinds.values.reduce(0, +)
      if entries != tally.balances - tally.debts {
        report(
          "entries_make_the_balances", currency: number,
          "the entries of all kinds come to \(entries), the balances less debts to \(tally.balances - tally.debts)")
      }
      if tally.balances != tally.lots + tally.held {
        report(
          "lots_make_the_balances", currency: number,
          "the balances come to \(tally.balances), the live lots to \(tally.lots), and \(tally.held) are on hold")
      }
      let moved = tally.kinds[.transfer] ?? 0
      if moved != 0 {
        report("transfers_cancel_out", currency: number, "what customers gave each other comes to \(moved), not to 0")
      }
    }
  }

  private func currencyBooks() -> [Verification.Books] {
    definitions.currencies.map { currency in
      let tally = books[currency.number] ?? BooksTally()
      var kinds = tally.kinds
      // Due expiries count as booked.
      if tally.due != 0 { kinds[.expiry, default: 0] -= tally.due }
      return Verification.Books(
        currency: currency.code, kinds: kinds.mapValues { Int64(clamping: $0) },
        outstanding: Int64(clamping: tally.balances - tally.due), held: Int64(clamping: tally.held),
        debt: Int64(clamping: tally.debts))
    }
  }
}

/// The sums of one currency; wide, so that damaged rows cannot overflow them.
struct BooksTally {
  var kinds: [EntryKind: Int128] = [:]
  var balances: Int128 = 0
  var debts: Int128 = 0
  var held: Int128 = 0
  var lots: Int128 = 0
  /// The amount in live lots that has expired but is not booked yet.
  var due: Int128 = 0
}

/// The journal's record of the customers of one window.
struct Replay {
  struct Account {
    /// The sum of all amounts.
    var sum: Int128 = 0
    /// The record of the newest entry.
    var balance: Int64 = 0
    var debt: Int64 = 0
    var version: Int64 = 0
    var lastEntry: EntryNumber = 0
    var open = OpenLots()
    // The sums of the lots' rows.
    var lots: Int128 = 0
    var openLots: Int64 = 0
    var firstExpiry: Int64 = .max
    var isSeen = false
  }

  struct Lot {
    var account: AccountNumber
    var granted: Int128 = 0
    var remaining: Int128 = 0
    /// Which transactions expired some of it first and spent some of it last; 0 for none.
    var firstExpiry: TransactionNumber = 0
    var lastSpend: TransactionNumber = 0
    var isSeen = false
  }

  let customers: Range<CustomerNumber>
  /// Whether this is the first window; checks that concern no single customer run only there.
  let isFirst: Bool
  let accounts = ReplayTable<Account>()
  let lots = ReplayTable<Lot>()
  /// The lots' positions in the order of burning, as far as they were needed.
  let ranks = ReplayTable<BurnRank>()
  var events = JournalEventReplay()
  /// Until when nothing ends that is on hold of an account; known once all effects are replayed.
  var firstDeadlines: [AccountNumber: Int64] = [:]

  /// The final surviving customer of each merged customer; a customer and all customers merged into it are in one
  /// window.
  let survivingCustomers: [CustomerNumber: CustomerNumber]

  init(customers: Range<CustomerNumber>, isFirst: Bool, survivingCustomers: [CustomerNumber: CustomerNumber]) {
    self.customers = customers
    self.isFirst = isFirst
    self.survivingCustomers = survivingCustomers
  }

  func survivingCustomer(_ customer: CustomerNumber) -> CustomerNumber {
    survivingCustomers.isEmpty ? customer : survivingCustomers[customer] ?? customer
  }
  func covers(_ account: AccountNumber) -> Bool { customers.contains(survivingCustomer(account.customer)) }

  /// Whether two accounts are the same currency of merged customers.
  func areOne(_ one: AccountNumber, _ other: AccountNumber) -> Bool {
    one.currency == other.currency && survivingCustomer(one.customer) == survivingCustomer(other.customer)
  }
}
