/// An account in the unit of work, and whether it must be written.
struct WorkingAccount {
  var row: AccountRow
  var isNew: Bool
  var isChanged = false
  /// Whether the group has applied the account's scheduled effects.
  var isCurrent = false
  /// The index of its loaded lots; -1 until they are needed.
  var lotsIndex = -1
}

/// The rows that a group of commands has loaded, with the group's changes so far.
struct UnitOfWork: ~Copyable {
  /// The storage as it was before the group; nil between groups.
  private var opened: (any StorageSnapshot)?
  var accounts: [WorkingAccount] = []
  var loadedLots: [LoadedLots] = []
  var changes = ChangeSet()
  var orders = PendingOrders()
  var sequences = Sequences()
  var now = Timestamp(milliseconds: 0)
  /// The number of the first transaction that this group books.
  private(set) var firstTransaction: TransactionNumber = 1
  /// The journal's last transaction before the group.
  private var lastTransaction: TransactionNumber = 0

  private var slots = SlotTable()
  private var pendingKeys = PendingKeys()
  private var newCustomers: [CustomerID: Int] = [:]
  private var newPurchases: [PurchaseIdentity: Int] = [:]
  private var owned: [OwnedKey: Int64] = [:]
  private var coldSequences: [ColdSequence: Int64] = [:]
  var cold = ColdWork()
  /// Whether anything is in ``cold``.
  var hasCold = false

  private struct OwnedKey: Hashable {
    let customer: CustomerNumber
    let item: ItemID
  }

  init() {}

  /// Makes a unit of work without changes: its reads return the stored rows.
  init(reading snapshot: any StorageSnapshot) { opened = snapshot }

  /// The storage as it was before the group.
  var session: any StorageSnapshot {
    @inline(__always)
    get {
      guard let opened else { preconditionFailure("A group reads before it has begun") }
      return opened
    }
  }

  /// Clears everything and starts at the journal's end.
  mutating func begin(_ session: any StorageSnapshot, after sequences: Sequences, clock: Timestamp) {
    opened = session
    accounts.removeAll(keepingCapacity: true)
    if !loadedLots.isEmpty { loadedLots.removeAll() }
    changes.removeAll()
    orders.removeAll()
    slots.removeAll()
    pendingKeys.removeAll()
    if !newCustomers.isEmpty { newCustomers.removeAll() }
    if !newPurchases.isEmpty { newPurchases.removeAll() }
    if !owned.isEmpty { owned.removeAll() }
    if !coldSequences.isEmpty { coldSequences.removeAll() }
    if hasCold { (cold, hasCold) = (ColdWork(), false) }
    // Journal time never goes back, even if the machine's clock does.
    now = max(clock, sequences.createdAt)
    self.sequences = sequences
    self.sequences.goOn(at: now)
    firstTransaction = self.sequences.nextTransaction
    lastTransaction = sequences.transaction
  }

  /// The end of the journal: any later transaction, of any lane, has a higher number.
  var journalEnd: TransactionNumber { sequences.lastBeside(changes.transactions.last?.number ?? lastTransaction) }

  /// Releases the session; the changes stay until the next group.
  mutating func end() { opened = nil }

  // MARK: Customers

  func newCustomer(_ id: CustomerID) -> FoundCustomer? {
    guard !newCustomers.isEmpty, let index = newCustomers[id] else { return nil }
    return FoundCustomer(number: changes.customers[index].number, isFrozen: false)
  }

  mutating func addCustomer(_ id: CustomerID) throws(LedgerError) -> FoundCustomer {
    try checkNotErased(id)
    let row = CustomerRow(number: try next(.customer), id: id, createdAt: now)
    newCustomers[id] = changes.customers.count
    changes.customers.append(row)
    return FoundCustomer(number: row.number, isFrozen: false)
  }

  func customer(_ number: CustomerNumber) throws(LedgerError) -> CustomerRow? {
    if hasCold, let changed = cold.customers[number] { return changed }
    if let new = changes.customers.first(where: { $0.number == number }) { return new }
    return try session.customer(number: number)
  }

  /// Removes the customer that the current command made, and frees its number.
  mutating func removeNewestCustomer() {
    guard let row = changes.customers.popLast() else { return }
    newCustomers[row.id] = nil
    coldSequences[.customer] = row.number - 1
  }

  // MARK: Accounts

  mutating func slot(of number: AccountNumber) throws(LedgerError) -> Int {
    let new = accounts.count
    let slot = slots.insert(number.rawValue, slot: new)
    guard slot == new else { return slot }
    // A storage failure here fails the group, and the slot is not used again.
    let row = try session.account(number)
    accounts.append(WorkingAccount(row: row ?? AccountRow(number: number), isNew: row == nil))
    return slot
  }

  /// Adds a known account without a read of the storage.
  mutating func addAccount(_ row: AccountRow) -> Int {
    let slot = slots.insert(row.number.rawValue, slot: accounts.count)
    if slot == accounts.count { accounts.append(WorkingAccount(row: row, isNew: row.version == 0)) }
    return slot
  }

  /// Returns the index of the loaded lots of an account, and adds an empty element if there is none.
  mutating func loadedLotsIndex(of slot: Int) -> Int {
    if accounts[slot].lotsIndex >= 0 { return accounts[slot].lotsIndex }
    loadedLots.append(accounts[slot].row.openLots == 0 ? .empty : LoadedLots())
    accounts[slot].lotsIndex = loadedLots.count - 1
    return accounts[slot].lotsIndex
  }

  // MARK: Keys, purchases, items

  @inline(__always)
  func pendingKey(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) -> KeyRow? {
    guard let index = pendingKeys.index(of: key, customer: customer, hash: hash, in: changes.keys) else { return nil }
    return changes.keys[index]
  }

  @inline(__always)
  mutating func addKey(_ row: consuming KeyRow, hash: Int) {
    pendingKeys.insert(hash: hash, index: changes.keys.count)
    changes.keys.append(row)
    changes.keyHashes.append(hash)
  }

  func newPurchase(_ identity: PurchaseIdentity) -> PurchaseRow? {
    guard let index = newPurchases[identity] else { return nil }
    return withRefund(changes.purchases[index])
  }

  /// The purchase with the group's refunds applied.
  func withRefund(_ row: PurchaseRow) -> PurchaseRow {
    guard hasCold, let state = cold.refundStates[row.number] else { return row }
    var row = row
    row.refund = state
    return row
  }

  mutating func addPurchase(_ row: PurchaseRow) {
    newPurchases[row.identity] = changes.purchases.count
    changes.purchases.append(row)
  }

  mutating func owned(_ item: ItemID, customer: CustomerNumber) throws(LedgerError) -> Int64 {
    if let quantity = owned[OwnedKey(customer: customer, item: item)] { return quantity }
    let row: OwnedItemRow? = try session.row(OwnedItemRow.byItem, IndexKey(customer, text: item.text))
    return row?.quantity ?? 0
  }

  /// All items that the customer owns, in the order of items.
  func ownedItems(of customer: CustomerNumber) throws(LedgerError) -> [(ItemID, Int64)] {
    var all: [ItemID: Int64] = [:]
    let rows: [OwnedItemRow] = try session.rows(OwnedItemRow.ofCustomer, [IndexKey(customer)])
    for row in rows { all[row.item] = row.quantity }
    for (key, quantity) in owned where key.customer == customer { all[key.item] = quantity }
    return all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  mutating func setOwned(_ item: ItemID, customer: CustomerNumber, to quantity: Int64) {
    owned[OwnedKey(customer: customer, item: item)] = quantity
  }

  /// Returns the number by which lots and purchases know the environment; draws one for a new environment.
  mutating func number(of environment: StoreEnvironment) throws(LedgerError) -> Int64 {
    if let known = try knownNumber(of: environment) { return known }
    let number = max(EnvironmentRow.firstDrawnNumber, try next(.environment))
    coldSequences[.environment] = number
    changes.environments.append(EnvironmentRow(number: number, environment: environment))
    return number
  }

  /// The environment's number, or nil if it has none yet.
  func knownNumber(of environment: StoreEnvironment) throws(LedgerError) -> Int64? {
    // Environments without a session have fixed numbers.
    guard environment.session != nil else { return environment.kind.rawValue }
    if let new = changes.environments.first(where: { $0.environment == environment }) { return new.number }
    return try session.environments().first { $0.environment == environment }?.number
  }

  // MARK: The journal so far

  /// A transaction that this group booked, without its other rows.
  func transaction(_ number: TransactionNumber) -> TransactionRow? {
    guard let index = sequences.count(from: firstTransaction, to: number), changes.transactions.indices.contains(index)
    else { return nil }
    return changes.transactions[index]
  }

  mutating func addCheckpoint(of entry: EntryRow) {
    changes.checkpoints.append(
      CheckpointRow(
        account: entry.account, version: entry.version, entry: entry.number, transaction: entry.transaction,
        createdAt: now))
  }

  /// A transaction that this group booked, with the sources of lots that the group has loaded.
  func parts(of number: TransactionNumber) -> TransactionParts? {
    guard let index = sequences.count(from: firstTransaction, to: number), changes.transactions.indices.contains(index)
    else { return nil }
    let row = changes.transactions[index]
    // Entries and allocations are in the order of entries' numbers, and those of a transaction are adjacent.
    let first = changes.entries.firstIndex(atOrAfter: row.firstEntry) { $0.number }
    let entries = Array(changes.entries[first...].prefix { $0.transaction == number })
    var allocations: [AllocationRow] = []
    if let entry = entries.first {
      let first = changes.allocations.firstIndex(atOrAfter: entry.number) { $0.entry }
      allocations = Array(changes.allocations[first...].prefix { $0.entry <= entries[entries.count - 1].number })
    }
    var parts = TransactionParts(
      row: row, entries: entries, allocations: allocations,
      items: changes.itemEntries.filter { $0.transaction == number }, sources: [:])
    parts.sources = sources(of: parts)
    return parts
  }

  private func sources(of parts: TransactionParts) -> [LotNumber: LotSource] {
    var sources: [LotNumber: LotSource] = [:]
    for entry in parts.entries {
      for lot in parts.lots(of: entry) where sources[lot] == nil { sources[lot] = source(of: lot, in: entry.account) }
    }
    return sources
  }

  private func source(of lot: LotNumber, in account: AccountNumber) -> LotSource? {
    if let slot = slots[account.rawValue], let source = source(of: lot, at: slot) { return source }
    // The lot moved with a merge.
    for slot in accounts.indices {
      if let source = source(of: lot, at: slot) { return source }
    }
    return nil
  }

  private func source(of lot: LotNumber, at slot: Int) -> LotSource? {
    let account = accounts[slot]
    if account.row.poolLot == lot { return LotSource(rawValue: account.row.poolSource) }
    guard account.lotsIndex >= 0, let lotSlot = loadedLots[account.lotsIndex].lotSlot(of: lot) else { return nil }
    return loadedLots[account.lotsIndex][lotSlot].row.source
  }

  // MARK: Numbers

  mutating func next(_ sequence: ColdSequence) throws(LedgerError) -> Int64 {
    var last = coldSequences[sequence] ?? 0
    if last == 0 {
      // Sparse numbers follow time; only environments, which all lanes share, are counted up.
      let isCounted = sequences.isDense || sequence == .environment
      last = isCounted ? try session.last(sequence) : firstTransaction - 1
    }
    let next = try session.number(after: last, in: sequence)
    coldSequences[sequence] = next
    return next
  }

  // MARK: Collecting

  /// Moves the changes into the change set.
  mutating func collectChanges() {
    changes.lastLot = coldSequences[.lot]
    if orders.hasChanges { changes.orders = orders.changes }
    for account in accounts where account.isChanged {
      if account.isNew { changes.newAccounts.append(account.row) } else { changes.changedAccounts.append(account.row) }
    }
    for loaded in loadedLots {
      collect(loaded.free.lots)
      collect(loaded.paid.lots)
      collect(loaded.extras)
    }
    collectCold()
  }

  private mutating func collect(_ lots: [WorkingLot]) {
    for lot in lots {
      if lot.isNew { changes.newLots.append(lot.row) } else if lot.isChanged { changes.changedLots.append(lot.row) }
      if lot.isMoved, !lot.isNew { changes.ownCold.movedLots.append(lot.row) }
    }
  }

  var hasChanges: Bool {
    !changes.transactions.isEmpty || !changes.keys.isEmpty || !changes.customers.isEmpty
      || !changes.environments.isEmpty || orders.hasChanges || changes.catalog != nil || changes.cold != nil
  }
}

extension Array {
  /// The index of the first element with that number or a greater one, in an array in the order of numbers.
  fileprivate func firstIndex(atOrAfter number: Int64, by numberOf: (Element) -> Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if numberOf(self[middle]) < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The keys that commands of the current group used, by hash.
private struct PendingKeys: ~Copyable {
  private var slots = SlotTable()
  /// Further keys with a hash that is taken; nearly always empty.
  private var collisions: [Int] = []

  func index(of key: IdempotencyKey, customer: CustomerNumber, hash: Int, in rows: [KeyRow]) -> Int? {
    guard let first = slots[Int64(hash)] else { return nil }
    if Self.matches(rows[first], key, customer) { return first }
    return collisions.first { Self.matches(rows[$0], key, customer) }
  }

  mutating func insert(hash: Int, index: Int) {
    if slots.insert(Int64(hash), slot: index) != index { collisions.append(index) }
  }

  mutating func removeAll() {
    slots.removeAll()
    if !collisions.isEmpty { collisions.removeAll() }
  }

  private static func matches(_ row: KeyRow, _ key: IdempotencyKey, _ customer: CustomerNumber) -> Bool {
    row.customer == customer && row.key == key
  }
}
