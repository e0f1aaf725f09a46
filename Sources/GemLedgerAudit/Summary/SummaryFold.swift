internal import GemLedger

/// Adds up the changes by transactions, and the state of accounts, in one snapshot.
struct SummaryFold {
  let snapshot: any StorageSnapshot
  /// Changes of accounts after this one are left out, since a later page of the scan reads their state.
  var accounts: Int64
  private(set) var counts: [SummaryPlace: SummaryCounts] = [:]
  /// The changes of lots with a price.
  private(set) var changes: [LotNumber: [LotChange]] = [:]
  private var reader: PurchaseReader

  /// A change of a lot by an entry.
  struct LotChange {
    let entry: EntryNumber
    let account: AccountNumber
    let amount: Int64
    let isReturn: Bool
  }

  init(_ snapshot: any StorageSnapshot, _ definitions: CurrencyDefinitions, accounts: Int64) {
    self.snapshot = snapshot
    self.accounts = accounts
    reader = PurchaseReader(snapshot: snapshot, definitions: definitions)
  }

  // MARK: Transactions

  mutating func add(_ rows: [TransactionRow]) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    let keys = try keys(of: rows)
    let entries = try snapshot.rows(EntryRow.ofTransaction, keys)
    var hours: [TransactionNumber: SummaryPlace] = [:]
    for row in rows {
      let hour = SummaryPlace.hour(row.createdAt.hour)
      hours[row.number] = hour
      try add(1, to: SummaryCounter(.transactions, kind: row.kind), of: hour)
    }
    for entry in entries {
      guard let hour = hours[entry.transaction] else { throw .lacksTransaction(entry.transaction) }
      let name = entry.amount > 0 ? SummaryCounter.Name.inflow : .outflow
      try add(abs(entry.amount), to: SummaryCounter(name, entry.account.currency, kind: entry.kind), of: hour)
    }
    try addPurchases(rows.filter { $0.kind == .purchase }, hours)
    guard accounts > 0 else { return }
    let events = try snapshot.rows(JournalEventRow.ofTransaction, keys).filter { $0.heldChange != 0 }
    try addAmounts(entries, events)
  }

  /// The keys of the transactions' parts: a merge and an unmerge have entries of two customers.
  private func keys(of rows: [TransactionRow]) throws(LedgerError) -> [IndexKey] {
    let merges = rows.filter { $0.kind == .merge || $0.kind == .unmerge }
    let others = try snapshot.rows(
      MergeRow.byTransaction, merges.map { IndexKey($0.number, of: $0.customer) }, by: \.transaction)
    return rows.flatMap { row in
      [row.customer, others[row.number]?.from].compactMap { $0 }.map { IndexKey(row.number, row.firstEntry, of: $0) }
    }
  }

  private mutating func addPurchases(
    _ rows: [TransactionRow], _ hours: [TransactionNumber: SummaryPlace]
  ) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    let keys = rows.map { IndexKey($0.number, of: $0.customer) }
    for purchase in try snapshot.rows(PurchaseRow.creditedBy, keys) {
      guard let hour = hours[purchase.transaction] else { continue }
      let environment = try kind(of: purchase.identity.environment)
      let price = purchase.price
      try add(1, to: SummaryCounter(.purchases, environment, price: price?.currency ?? ""), of: hour)
      guard let price else { continue }
      try add(price.minorUnits, to: SummaryCounter(.revenue, environment, price: price.currency), of: hour)
    }
  }

  private mutating func addAmounts(_ entries: [EntryRow], _ events: [JournalEventRow]) throws(LedgerError) {
    let split = entries.filter { $0.lot == 0 }.map { IndexKey($0.number, of: $0.account.customer) }
    let allocations: [EntryNumber: [AllocationRow]] = try snapshot.rows(
      AllocationRow.ofEntry, split, groupedBy: \.entry)
    let parts = entries.map { entry in
      entry.lot == 0 ? (allocations[entry.number] ?? []).map { ($0.lot, $0.amount) } : [(entry.lot, entry.amount)]
    }
    let wanted = zip(entries, parts).flatMap { entry, parts in
      parts.map { RowAddress($0.0, of: entry.account.customer) }
    }
    let lots = try attributes(wanted + events.map { RowAddress($0.lot, of: $0.customer) })
    for (entry, parts) in zip(entries, parts) {
      var balance: Int64 = 0
      for (lot, amount) in parts {
        try balance.add(amount)
        guard let lot = lots[lot] else { throw Self.lacksLot(lot) }
        try add(amount, to: lot, of: entry.account)
        guard lot.source == .paid, lot.price != nil else { continue }
        changes[lot.lot, default: []].append(
          LotChange(entry: entry.number, account: entry.account, amount: amount, isReturn: entry.kind.isReturn))
      }
      try add(balance - entry.amount, to: SummaryCounter(.debt), of: entry.account)
    }
    for event in events {
      guard let lot = lots[event.lot] else { throw Self.lacksLot(event.lot) }
      try add(event.heldChange, to: SummaryCounter(.held, kind(of: lot.environment)), of: event.account)
    }
  }

  // MARK: Parts of both

  func attributes(_ wanted: [RowAddress]) throws(LedgerError) -> [LotNumber: LotAttributesRow] {
    wanted.isEmpty ? [:] : try snapshot.lotAttributes(wanted)
  }

  /// Adds to the amounts of a lot's source and environment.
  mutating func add(_ amount: Int64, to lot: LotAttributesRow, of account: AccountNumber) throws(LedgerError) {
    let name = lot.source == .paid ? SummaryCounter.Name.paid : .free
    try add(amount, to: SummaryCounter(name, kind(of: lot.environment)), of: account)
  }

  /// Adds the value of an amount that remains of a lot, or subtracts it.
  mutating func add(
    _ sign: Int64 = 1, valueOf remaining: Int64, granted: Int64, _ lot: LotRow, of account: AccountNumber
  ) throws(LedgerError) {
    guard lot.isPaid, let price = lot.price, remaining > 0 else { return }
    let environment = try kind(of: lot.environment)
    let value = LotValue.rest(of: price.minorUnits, granted: granted, remaining: remaining)
    try add(sign * remaining, to: SummaryCounter(.units, environment, price: price.currency), of: account)
    try add(sign * value, to: SummaryCounter(.value, environment, price: price.currency), of: account)
  }

  mutating func add(_ amount: Int64, to counter: SummaryCounter, of account: AccountNumber) throws(LedgerError) {
    guard account.rawValue <= accounts else { return }
    try add(amount, to: counter, of: .currency(account.currency))
  }

  private mutating func add(
    _ amount: Int64, to counter: SummaryCounter, of place: SummaryPlace
  ) throws(LedgerError) {
    try counts[place, default: [:]].add(amount, to: counter)
  }

  /// The number of an environment's kind.
  mutating func kind(of environment: Int64) throws(LedgerError) -> Int64 {
    try reader.environment(environment).kind.rawValue
  }

  static func lacksLot(_ number: LotNumber) -> LedgerError {
    LedgerError(.storageDamaged, "The journal lacks lot \(number), which an entry names; run verify.")
  }
}
