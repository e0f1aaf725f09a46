internal import GemLedger

/// Checks that every journal event belongs to its transaction and agrees with it.
struct JournalEventCheck {
  /// The number of transactions that record taking amounts returned to refunded purchases.
  private(set) var reclaimCount: Int64 = 0
  private let context: VerifyContext
  private let merges: MergedCustomers
  private let transfers: TransferCheck
  private let reversals: ReversalCheck
  /// For each kind of transaction, the number of transactions with the kind's mandatory event.
  private var counts: [EntryKind: Int64] = [:]

  init(_ context: VerifyContext, _ merges: MergedCustomers) {
    self.context = context
    self.merges = merges
    transfers = TransferCheck(context)
    reversals = ReversalCheck(context, merges)
  }

  /// - Parameter journal: The counts of the journal's transactions.
  mutating func run(_ journal: JournalTally) throws(LedgerError) {
    var walk = try JournalEventWalk(context.scan)
    guard walk.next != .max || !journal.eventKinds.isEmpty else { return }
    var groups: [[JournalEventRow]] = []
    var count = 0
    while let event = try walk.pop() {
      if groups.last?.first?.transaction == event.transaction {
        groups[groups.count - 1].append(event)
      } else {
        if count >= ScanPage.size {
          try check(groups)
          groups.removeAll(keepingCapacity: true)
          count = 0
        }
        groups.append([event])
      }
      count += 1
    }
    try check(groups)
    for kind in EntryKind.allCases where counts[kind, default: 0] != journal.eventKinds[kind, default: 0] {
      context.report(
        "effects_are_complete",
        "the journal has \(journal.eventKinds[kind, default: 0]) transactions of kind \(kind.name); "
          + "\(counts[kind, default: 0]) have effects")
    }
  }

  private mutating func check(_ groups: [[JournalEventRow]]) throws(LedgerError) {
    let page = try JournalEventPage(groups, snapshot: context.snapshot, merges)
    try transfers.check(page)
    for group in groups {
      guard let first = group.first else { continue }
      guard let transaction = page.transaction(first.transaction) else {
        context.report(
          "effects_have_transactions", "an effect names transaction \(first.transaction), which is missing")
        continue
      }
      if let mark = transaction.kind.mark, group.contains(where: { $0.kind == mark }) {
        counts[transaction.kind, default: 0] += 1
      }
      for (index, event) in group.enumerated() {
        check(event, at: Int64(index) + 1, of: transaction)
        switch event.kind {
        case .reversal: reversals.check(event, page)
        case .late, .reclaimed: reversals.checkTarget(event, page)
        case .linked: checkLink(event, page)
        case .deadline, .held, .captured, .released, .counted, .unproven: break
        }
      }
      // An amount that repays a debt belongs to no refund.
      if transaction.kind == .refund, group.contains(where: { $0.kind == .reclaimed }) { reclaimCount += 1 }
      if group.contains(where: { $0.kind.isOfAnEntry }) { checkParts(of: group, page) }
      if transaction.kind == .merge { checkMoves(of: group) }
      checkExpiries(after: first.transaction, page)
    }
  }

  private func check(_ event: JournalEventRow, at position: Int64, of transaction: TransactionRow) {
    let isOneWithIt =
      (transaction.kind == .merge || transaction.kind == .unmerge)
      && merges.survivor(of: event.customer) == merges.survivor(of: transaction.customer)
    if event.customer != transaction.customer, !isOneWithIt, !event.isOfEverybody {
      context.report(
        "effects_have_transactions",
        "an effect of transaction \(transaction.number) is of customer number \(event.customer), its transaction of "
          + "\(transaction.customer)")
    }
    if event.createdAt != transaction.createdAt {
      context.report(
        "effects_have_transactions", "an effect of transaction \(transaction.number) is of another instant")
    }
    if event.position != position {
      context.report(
        "effects_are_complete",
        "effect \(event.position) of transaction \(transaction.number) should be number \(position)")
    }
    if !event.kind.fits(transaction.kind) || !event.isWhole {
      context.report(
        "effects_fit",
        "effect \(event.position) of transaction \(transaction.number), \(event.kind), has wrong fields or does not "
          + "fit a transaction of kind \(transaction.kind.name)")
    }
  }

  // MARK: Related rows

  private func checkLink(_ event: JournalEventRow, _ page: JournalEventPage) {
    let isMutual = page.sides(of: event).contains {
      $0.kind == .linked && $0.target == event.transaction && $0.value == event.customer
        && $0.customer == event.value
    }
    if !isMutual {
      context.report(
        "baskets_are_linked",
        "transaction \(event.transaction) is linked to \(event.target), which is not linked to it")
    }
  }

  /// Checks that captured amounts and late returns match the amounts that the transaction's entries took from lots.
  private func checkParts(of group: [JournalEventRow], _ page: JournalEventPage) {
    guard let number = group.first?.transaction else { return }
    var lots: [LotNumber: [Int64: Int128]] = [:]
    for event in group where event.kind.isOfAnEntry {
      lots[event.lot, default: [:]][event.currency, default: 0] += Int128(event.amount)
    }
    for part in page.parts(of: number) {
      lots[part.lot, default: [:]][part.currency, default: 0] += Int128(part.amount)
    }
    for (lot, currencies) in lots.inKeyOrder {
      for (currency, rest) in currencies.inKeyOrder where rest != 0 {
        context.report(
          "effects_book_their_entries", currency: currency,
          "transaction \(number) differs by \(rest) from its effects in lot \(lot)")
      }
    }
  }

  /// Checks that amounts returned to an expired lot were expired again.
  private func checkExpiries(after transaction: TransactionNumber, _ page: JournalEventPage) {
    guard var left = page.late[transaction] else { return }
    for event in page.expiries(after: transaction) { left[event.lot, default: 0] -= Int128(event.amount) }
    for (lot, rest) in left.inKeyOrder where rest != 0 {
      context.report(
        "effects_are_complete",
        "transaction \(transaction) returned \(rest) to lot \(lot) after its expiry; the amount did not expire"
      )
    }
  }

  /// Checks that a merge leaves the amounts of every hold unchanged.
  private func checkMoves(of group: [JournalEventRow]) {
    var moved: [TransactionNumber: [Int64: Int128]] = [:]
    for event in group where event.kind == .held || event.kind == .released {
      let amount = event.kind == .held ? Int128(event.amount) : -Int128(event.amount)
      moved[event.target, default: [:]][event.currency, default: 0] += amount
    }
    for (hold, currencies) in moved.inKeyOrder {
      for (currency, rest) in currencies.inKeyOrder where rest != 0 {
        context.report(
          "holds_replay", currency: currency,
          "transaction \(group.first?.transaction ?? 0) leaves hold \(hold) \(rest) more than it had")
      }
    }
  }
}
