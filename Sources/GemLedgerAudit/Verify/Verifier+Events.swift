internal import GemLedger

extension Verifier {
  /// Checks that every journal event belongs to its transaction and agrees with it.
  mutating func checkEvents(survivingCustomers: [CustomerNumber: CustomerNumber]) throws(LedgerError) {
    var walk = try JournalEventWalk(scan)
    guard walk.next != .max || !eventKindCounts.isEmpty else { return }
    let families = Families(survivingCustomers: survivingCustomers)
    var counts: [EntryKind: Int64] = [:]
    var groups: [[JournalEventRow]] = []
    var count = 0
    while let event = try walk.pop() {
      if groups.last?.first?.transaction == event.transaction {
        groups[groups.count - 1].append(event)
      } else {
        if count >= ScanPage.size {
          try check(groups, families, &counts)
          groups.removeAll(keepingCapacity: true)
          count = 0
        }
        groups.append([event])
      }
      count += 1
    }
    try check(groups, families, &counts)
    for kind in EntryKind.allCases where counts[kind, default: 0] != eventKindCounts[kind, default: 0] {
      report(
        "effects_are_complete",
        "the journal has \(eventKindCounts[kind, default: 0]) transactions of kind \(kind.name); "
          + "\(counts[kind, default: 0]) have effects")
    }
  }

  private mutating func check(
    _ groups: [[JournalEventRow]], _ families: Families, _ counts: inout [EntryKind: Int64]
  ) throws(LedgerError) {
    let page = try JournalEventPage(groups, snapshot: snapshot, families: families, survivors: survivors)
    try checkTransfers(of: groups, page)
    for group in groups {
      guard let first = group.first else { continue }
      guard let transaction = page.transaction(first.transaction) else {
        report("effects_have_transactions", "an effect names transaction \(first.transaction), which is missing")
        continue
      }
      if let mark = transaction.kind.mark, group.contains(where: { $0.kind == mark }) {
        counts[transaction.kind, default: 0] += 1
      }
      for (index, event) in group.enumerated() {
        check(event, at: Int64(index) + 1, of: transaction, families)
        switch event.kind {
        case .reversal: checkReversal(event, page, families)
        case .late, .reclaimed: checkTarget(event, page, families)
        case .linked: checkLink(event, page)
        case .deadline, .held, .captured, .released, .counted: break
        }
      }
      // An amount that repays a debt belongs to no refund.
      if transaction.kind == .refund, group.contains(where: { $0.kind == .reclaimed }) { reclaimCount += 1 }
      if group.contains(where: { $0.kind.isOfAnEntry }) { checkParts(of: group, page) }
      if transaction.kind == .merge { checkMoves(of: group) }
      checkExpiries(after: first.transaction, page)
    }
  }

  private mutating func check(
    _ event: JournalEventRow, at position: Int64, of transaction: TransactionRow, _ families: Families
  ) {
    let isOneWithIt =
      transaction.kind == .merge
      && families.survivingCustomer(event.customer) == families.survivingCustomer(transaction.customer)
    if event.customer != transaction.customer, !isOneWithIt, !event.isOfEverybody {
      report(
        "effects_have_transactions",
        "an effect of transaction \(transaction.number) is of customer number \(event.customer), its transaction of "
          + "\(transaction.customer)")
    }
    if event.createdAt != transaction.createdAt {
      report("effects_have_transactions", "an effect of transaction \(transaction.number) is of another instant")
    }
    if event.position != position {
      report(
        "effects_are_complete",
        "effect \(event.position) of transaction \(transaction.number) stands where number \(position) should")
    }
    if !event.kind.fits(transaction.kind) || !event.isWhole {
      report(
        "effects_fit",
        "effect \(event.position) of transaction \(transaction.number), \(event.kind), says what none of a "
          + "transaction of kind \(transaction.kind.name) says")
    }
  }

  // MARK: Reversals

  /// Checked once for all reversals of a transaction, with the first.
  private mutating func checkReversal(_ event: JournalEventRow, _ page: JournalEventPage, _ families: Families) {
    checkTarget(event, page, families)
    let reversals = page.reversals(of: event.target)
    guard reversals.first == event else { return }
    var left: [Int64: Int128] = [:]
    for entry in page.entries(of: event.target) { left[entry.account.currency, default: 0] -= Int128(entry.amount) }
    for entry in reversals.flatMap({ page.entries(of: $0.transaction) }) {
      left[entry.account.currency, default: 0] -= Int128(entry.amount)
    }
    for (currency, left) in left where left < 0 {
      report(
        "reversals_are_covered", currency: currency,
        "the reversals of transaction \(event.target) give back \(-left) more than it took")
    }
    // Amounts of merged customers may have come back to other lots.
    guard !families.isInvolved(event.customer) else { return }
    var lots: [LotNumber: Int128] = [:]
    for part in page.parts(of: event.target) { lots[part.lot, default: 0] -= Int128(part.amount) }
    for part in reversals.flatMap({ page.parts(of: $0.transaction) }) where part.amount > 0 {
      lots[part.lot, default: 0] -= Int128(part.amount)
    }
    for (lot, left) in lots where left < 0 {
      report(
        "reversals_are_covered",
        "the reversals of transaction \(event.target) put back \(-left) more into lot \(lot) than it took")
    }
  }

  private mutating func checkTarget(_ event: JournalEventRow, _ page: JournalEventPage, _ families: Families) {
    let target = page.transaction(event.target)
    let fits =
      switch target?.kind {
      case .spend, .capture: event.kind == .reversal || target?.kind == .capture
      case .reversal, .release: event.kind != .reversal
      // Amounts that came out of a refunded purchase come back by these too.
      case .exchange, .transfer, .mixed, .merge: event.kind == .reclaimed
      default: false
      }
    guard fits, let target, target.number < event.transaction,
      families.survivingCustomer(target.customer) == families.survivingCustomer(event.customer)
    else {
      report(
        "effects_have_transactions",
        "transaction \(event.transaction) is about transaction \(event.target), which is missing, another's or "
          + "nothing that it could be about")
      return
    }
  }

  // MARK: Related rows

  private mutating func checkLink(_ event: JournalEventRow, _ page: JournalEventPage) {
    let isMutual = page.sides(of: event).contains {
      $0.kind == .linked && $0.target == event.transaction && $0.value == event.customer
        && $0.customer == event.value
    }
    if !isMutual {
      report(
        "baskets_are_linked",
        "transaction \(event.transaction) is linked to \(event.target), which is not linked to it")
    }
  }

  /// Checks that captured amounts, and amounts that came back in vain, are those that the transaction's entries took
  /// from lots.
  private mutating func checkParts(of group: [JournalEventRow], _ page: JournalEventPage) {
    guard let number = group.first?.transaction else { return }
    var lots: [LotNumber: [Int64: Int128]] = [:]
    for event in group where event.kind.isOfAnEntry {
      lots[event.lot, default: [:]][event.currency, default: 0] += Int128(event.amount)
    }
    for part in page.parts(of: number) {
      lots[part.lot, default: [:]][part.currency, default: 0] += Int128(part.amount)
    }
    for (lot, currencies) in lots {
      for (currency, rest) in currencies where rest != 0 {
        report(
          "effects_book_their_entries", currency: currency,
          "transaction \(number) takes \(rest) otherwise from lot \(lot) than its effects say")
      }
    }
  }

  /// Checks that amounts that came back to an expired lot are gone again.
  private mutating func checkExpiries(after transaction: TransactionNumber, _ page: JournalEventPage) {
    guard var left = page.late[transaction] else { return }
    for event in page.expiries(after: transaction) { left[event.lot, default: 0] -= Int128(event.amount) }
    for (lot, rest) in left where rest != 0 {
      report(
        "effects_are_complete",
        "\(rest) came back to lot \(lot) with transaction \(transaction), after the lot's time, and did not expire"
      )
    }
  }

  /// Checks that a merge leaves the amounts of every hold unchanged.
  private mutating func checkMoves(of group: [JournalEventRow]) {
    var moved: [TransactionNumber: [Int64: Int128]] = [:]
    for event in group where event.kind == .held || event.kind == .released {
      let amount = event.kind == .held ? Int128(event.amount) : -Int128(event.amount)
      moved[event.target, default: [:]][event.currency, default: 0] += amount
    }
    for (hold, currencies) in moved {
      for (currency, rest) in currencies where rest != 0 {
        report(
          "holds_replay", currency: currency,
          "transaction \(group.first?.transaction ?? 0) leaves hold \(hold) \(rest) more than it had")
      }
    }
  }
}

extension EntryKind {
  /// The kind of journal event that every transaction of this kind has.
  fileprivate var mark: JournalEventRow.Kind? {
    switch self {
    case .hold: .held
    case .extend: .deadline
    case .release: .released
    case .capture: .captured
    case .reversal: .reversal
    default: nil
    }
  }
}

extension JournalEventRow.Kind {
  /// Whether a transaction of that kind has such effects.
  fileprivate func fits(_ kind: EntryKind) -> Bool {
    switch self {
    case .reversal: kind == .reversal
    case .deadline: kind == .hold || kind == .extend
    case .held: kind == .hold || kind == .merge
    case .captured: kind == .capture
    case .released: kind == .release || kind == .capture || kind == .merge
    case .late: kind == .expiry
    case .reclaimed: kind == .refund || kind == .mixed
    // A spend is linked to the stock that its item came out of.
    case .linked: kind == .transfer || kind == .mixed || kind == .spend
    case .counted: true
    }
  }
}

extension JournalEventRow {
  /// Whether it has the fields of its kind, and no others.
  fileprivate var isWhole: Bool {
    let isOfLot = currency != 0 && lot != 0 && amount > 0 && heldAfter >= 0
    let isOfNoLot = currency == 0 && lot == 0 && amount == 0 && heldAfter == 0
    let isOfNoCount = count == nil && period == 0
    switch kind {
    case .reversal: return target != 0 && isOfNoLot && value == 0 && isOfNoCount
    case .deadline, .linked: return target != 0 && isOfNoLot && isOfNoCount
    case .held: return target != 0 && isOfLot && (value == 0 || target == transaction) && isOfNoCount
    case .captured, .released, .late, .reclaimed: return target != 0 && isOfLot && value == 0 && isOfNoCount
    case .counted: return target == 0 && isOfNoLot && count != nil
    }
  }
}
