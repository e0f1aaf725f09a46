/// An account at a past instant, from the journal.
struct PastAccount {
  /// The account's newest entry by the instant, the held amount, and the next due time of its lots and holds.
  ///
  /// It does not contain the lots that were not due.
  var row: AccountRow
  /// The account's first entry after the instant.
  let successor: EntryRow?
  /// Lots that had expired by the instant without a booked expiry.
  var dueLots: [LotRow] = []
}

/// Reads a customer's accounts as of a past instant, from the journal up to it.
struct PastAccounts {
  let snapshot: any StorageSnapshot
  let definitions: CurrencyDefinitions
  let customer: CustomerNumber
  let instant: Timestamp
  /// The customer numbers under which the customer's rows may be stored: a hold moves with a merge.
  let numbers: [CustomerNumber]
  private(set) var accounts: [PastAccount] = []
  private(set) var holds: [HoldRow] = []
  private(set) var counts: [CountRow] = []

  init(
    _ rows: [AccountRow], of customer: CustomerNumber, at instant: Timestamp, in snapshot: any StorageSnapshot,
    definitions: CurrencyDefinitions
  ) throws(LedgerError) {
    self.snapshot = snapshot
    self.definitions = definitions
    self.customer = customer
    self.instant = instant
    numbers = [customer] + (try CustomerFinder(snapshot).allRelated(to: customer)).filter { $0 != customer }
    for row in rows { accounts.append(try past(row)) }
    try readEvents()
    for index in accounts.indices { try findDueLots(of: index) }
  }

  private func past(_ account: AccountRow) throws(LedgerError) -> PastAccount {
    let (entry, successor) = try AccountHistory(snapshot: snapshot, account: account).newest(at: instant)
    var row = account
    (row.balance, row.debt, row.version) = (entry?.balance ?? 0, entry?.debt ?? 0, entry?.version ?? 0)
    (row.lastEntry, row.held, row.openLots) = (entry?.number ?? 0, 0, 0)
    (row.nextExpiry, row.nextDue) = (.max, .max)
    return PastAccount(row: row, successor: successor)
  }

  // MARK: Holds and counts

  /// The search for the customer's latest journal events by the instant, from new to old until all are found.
  private struct Search {
    /// Accounts with a held amount that is still unknown.
    var accounts: Set<Int64> = []
    /// The held amounts by currency, of holds that are still unknown.
    var rest: [Int64: Int64] = [:]
    var counts: Set<CountKey> = []
    var seen: Set<TransactionNumber> = []

    var isDone: Bool { accounts.isEmpty && counts.isEmpty && rest.values.allSatisfy { $0 == 0 } }
  }

  private mutating func readEvents() throws(LedgerError) {
    var search = Search(accounts: Set(accounts.map(\.row.number.currency)))
    for currency in definitions.currencies {
      let eras = currency.policies?.eras ?? []
      let code = currency.code.description
      if eras.contains(where: { $0.allowance != nil }) { search.counts.insert(CountKey(.allowed, code)) }
      if eras.contains(where: { $0.recharge != nil }) { search.counts.insert(CountKey(.recharged, code)) }
    }
    // Events after an account's first entry after the instant are later, too.
    var below = accounts.compactMap(\.successor?.transaction).min() ?? .max
    while !search.isDone {
      let page = try snapshot.events(of: customer, below: below, limit: 256)
      // One page has all events of a transaction. The transaction's last event may be first or last in it.
      let events = page.filter { $0.createdAt <= instant }.sorted {
        ($0.transaction, $0.position) > ($1.transaction, $1.position)
      }
      for event in events { try take(event, &search) }
      guard let end = page.last?.transaction else { return }
      guard end < below else { throw .leadsBack("effects") }
      below = end
    }
  }

  private mutating func take(_ event: JournalEventRow, _ search: inout Search) throws(LedgerError) {
    if let key = event.count {
      guard search.counts.remove(key) != nil else { return }
      counts.append(CountRow(customer: customer, key: key, period: event.period, value: event.value))
    }
    guard event.kind.setsAside, let index = accounts.firstIndex(where: { $0.row.number == event.account }) else {
      return
    }
    if search.accounts.remove(event.currency) != nil {
      accounts[index].row.held = event.heldAfter
      search.rest[event.currency] = event.heldAfter
    }
    guard search.rest[event.currency] ?? 0 > 0, search.seen.insert(event.target).inserted else { return }
    let hold = try PastHold(event.target, at: instant, ofAny: numbers, in: snapshot)
    for part in hold.parts where part.account.customer == customer {
      search.rest[part.account.currency, default: 0] -= part.amount
      guard let position = accounts.firstIndex(where: { $0.row.number == part.account }) else { continue }
      accounts[position].row.nextDue = min(accounts[position].row.nextDue, hold.deadline.milliseconds)
    }
    if hold.parts.contains(where: { $0.account.customer == customer }) {
      holds.append(HoldRow(number: hold.number, customer: customer, deadline: hold.deadline))
    }
  }

  // MARK: Lots that were due

  /// Finds the lots that had expired by the instant and were booked as expired later, or are not booked yet.
  ///
  /// The first command that changes the account books all due lots before its entry, so the search ends there.
  private mutating func findDueLots(of index: Int) throws(LedgerError) {
    let account = accounts[index].row.number
    let now = try snapshot.account(account)
    var due: [LotNumber: Int64] = [:]
    var next = accounts[index].successor
    while let entry = next, let now {
      guard try addDueLots(of: entry, to: &due) else { break }
      next = try AccountHistory(snapshot: snapshot, account: now).entry(version: entry.version + 1)
    }
    if next == nil, let now { try addOpenLots(of: now, to: &due) }
    for (lot, amount) in due where amount > 0 {
      guard let attributes = try snapshot.lotAttributes(lot, of: customer) else { continue }
      accounts[index].dueLots.append(
        LotRow(
          number: lot, account: account, source: attributes.source, environment: attributes.environment,
          granted: amount,
          remaining: amount, price: attributes.price, purchase: attributes.purchase, expiresAt: attributes.expiresAt)
      )
      accounts[index].row.nextExpiry = min(accounts[index].row.nextExpiry, attributes.expiresAt)
      accounts[index].row.openLots += 1
    }
  }

  /// - Returns: Whether further due effects may be booked after the entry.
  private func addDueLots(
    of entry: EntryRow, to due: inout [LotNumber: Int64]
  ) throws(LedgerError) -> Bool {
    switch entry.kind {
    case .initial, .recharge: return true
    case .grant, .refund, .reversedRefund:
      // An allowance, or an effect of an ended hold.
      return try events(of: entry).contains { $0.count?.kind == .allowed || $0.kind == .reclaimed }
    case .expiry: break
    default: return false
    }
    let late = try events(of: entry).filter { $0.kind == .late }
    var taken = [(entry.lot, entry.amount)]
    if entry.lot == 0 { taken = try snapshot.allocations(of: entry.number, of: customer).map { ($0.lot, $0.amount) } }
    for (lot, amount) in taken {
      guard let attributes = try snapshot.lotAttributes(lot, of: customer),
        attributes.expiresAt <= instant.milliseconds
      else {
        continue
      }
      // An amount that returned to a lot after the lot's expiry was not in the lot at the expiry.
      due[lot, default: 0] -= amount + late.filter { $0.lot == lot }.reduce(0) { $0 + $1.amount }
    }
    return true
  }

  private func events(of entry: EntryRow) throws(LedgerError) -> [JournalEventRow] {
    try snapshot.events(of: entry.transaction, ofAny: [customer])
  }

  private func addOpenLots(of account: AccountRow, to due: inout [LotNumber: Int64]) throws(LedgerError) {
    guard account.nextExpiry <= instant.milliseconds else { return }
    for paid in [false, true] {
      var after: LotPosition?
      var isAtEnd = false
      while !isAtEnd {
        let page = try snapshot.openLots(account.number, paid: paid, after: after, limit: 256)
        for lot in page where lot.expiresAt <= instant.milliseconds {
          try due[lot.number, default: 0].add(lot.remaining)
        }
        let end = page.last.map { LotPosition(expiresAt: $0.expiresAt, lot: $0.number) }
        if let after, let end, end <= after { throw .leadsBack("lots") }
        after = end
        isAtEnd = page.count < 256 || (page.last?.expiresAt ?? .max) > instant.milliseconds
      }
    }
  }
}

/// A hold's state from the journal, up to an instant.
struct PastHold {
  /// The transaction that began the hold.
  let number: TransactionNumber
  let deadline: Timestamp
  let parts: [HeldPart]

  /// - Parameter owners: The customers that its journal events may be stored with.
  init(
    _ number: TransactionNumber, at instant: Timestamp, ofAny owners: [CustomerNumber],
    in snapshot: any StorageSnapshot
  ) throws(LedgerError) {
    self.number = number
    var deadline = Timestamp(milliseconds: .max)
    var amounts: [AccountLot: Int64] = [:]
    for event in try snapshot.events(about: number, ofAny: owners) where event.createdAt <= instant {
      deadline = event.deadline ?? deadline
      guard event.kind.setsAside else { continue }
      try amounts[AccountLot(account: event.account, lot: event.lot), default: 0].add(
        event.kind == .held ? event.amount : -event.amount)
    }
    self.deadline = deadline
    parts = amounts.filter { $0.value > 0 }.map { HeldPart(account: $0.key.account, lot: $0.key.lot, amount: $0.value) }
  }

  private struct AccountLot: Hashable {
    let account: AccountNumber
    let lot: LotNumber
  }
}

extension JournalEventRow.Kind {
  /// Whether it changes the held amount.
  package var setsAside: Bool { self == .held || self == .captured || self == .released }
}
