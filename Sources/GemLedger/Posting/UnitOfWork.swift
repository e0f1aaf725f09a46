/// The rows of a group of commands, as the group left them: each part owns some of them.
struct UnitOfWork: ~Copyable {
  var customers: CustomerBook
  var accounts: AccountBook
  var journal: JournalBook
  var keys: KeyBook
  var purchases: PurchaseBook
  var orders: OrderBook
  var holds: HoldBook
  var items: ItemBook
  private(set) var counts: CountBook
  private let scope: GroupScope
  /// What is to be written: removals from the start, and all other changes once they are collected.
  var changes = ChangeSet()

  init(_ scope: GroupScope = GroupScope()) {
    self.scope = scope
    customers = CustomerBook(scope)
    accounts = AccountBook(scope)
    journal = JournalBook(scope)
    keys = KeyBook(scope)
    purchases = PurchaseBook(scope)
    orders = OrderBook(scope)
    holds = HoldBook(scope)
    items = ItemBook(scope)
    counts = CountBook(scope)
  }

  /// Makes a unit of work without changes: its reads return the stored rows.
  init(reading snapshot: any StorageSnapshot) { self.init(GroupScope(reading: snapshot)) }

  var session: any StorageSnapshot {
    @inline(__always) get { scope.session }
  }
  /// When the group is booked.
  var now: Timestamp {
    @inline(__always) get { scope.now }
  }

  /// Clears everything and starts at the journal's end.
  mutating func begin(_ session: any StorageSnapshot, after sequences: Sequences, clock: Timestamp) {
    // Journal time never goes back, even if the machine's clock does.
    let now = max(clock, sequences.createdAt)
    var started = sequences
    started.goOn(at: now)
    scope.begin(session, now: now, numbersAfter: sequences.isDense ? nil : started.nextTransaction - 1)
    changes.removeAll()
    customers.removeAll()
    accounts.removeAll()
    keys.removeAll()
    purchases.removeAll()
    orders.removeAll()
    holds.removeAll()
    counts.removeAll()
    items.removeAll()
    journal.begin(after: sequences.transaction, started)
  }

  /// Releases the session; the changes stay until the next group.
  func end() { scope.end() }

  /// Shows the state of a past instant: later bookings are hidden, so that the same rules give the answer that they
  /// gave then.
  mutating func goBack(to past: PastAccounts) throws(LedgerError) {
    scope.goBack(to: past.instant, of: past.customer, numbers: past.numbers)
    try holds.restore(past.holds, of: past.customer)
    try counts.restore(past.counts, of: past.customer)
    for account in past.accounts { accounts.restore(account) }
  }

  // MARK: Changes

  /// Moves the parts' changes into the change set.
  mutating func collectChanges() {
    customers.collect(into: &changes)
    accounts.collect(into: &changes)
    journal.collect(into: &changes)
    keys.collect(into: &changes)
    purchases.collect(into: &changes)
    orders.collect(into: &changes)
    holds.collect(into: &changes)
    counts.collect(into: &changes)
    items.collect(into: &changes)
  }

  /// Whether there is anything to write, once the changes are collected.
  var hasChanges: Bool {
    !changes.transactions.isEmpty || !changes.keys.isEmpty || !changes.customers.isEmpty
      || !changes.environments.isEmpty || !changes.orders.isEmpty || changes.catalog != nil || changes.cold != nil
  }

  // MARK: Reads and changes of several parts

  /// A transaction that this group booked, with the sources of lots that the group has loaded.
  func parts(of number: TransactionNumber) -> TransactionParts? {
    guard let row = journal.own(number) else { return nil }
    let (entries, allocations) = journal.postings(of: row)
    var parts = TransactionParts(
      row: row, entries: entries, allocations: allocations, items: items.entries(of: number), sources: [:])
    for entry in entries {
      for lot in parts.lots(of: entry) where parts.sources[lot] == nil {
        parts.sources[lot] = accounts.source(of: lot, in: entry.account)
      }
    }
    return parts
  }

  /// A transaction of this group or an earlier one, with the sources of all lots that it names.
  func parts(of number: TransactionNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> TransactionParts? {
    guard var parts = parts(of: number) else { return try TransactionParts.find(number, ofAny: owners, in: session) }
    for entry in parts.entries {
      // A captured amount is spent without a read of its lots.
      for lot in parts.lots(of: entry) where parts.sources[lot] == nil {
        let owners = try customers.related(to: entry.account.customer)
        parts.sources[lot] = try accounts.attributes(of: lot, ofAny: owners)?.source
      }
    }
    return parts
  }

  /// Finds the current owner of the purchase, after merges.
  func owner(of purchase: PurchaseRow) throws(LedgerError) -> CustomerRow {
    try customers.survivor(of: purchase.customer)
  }

  /// Whether the customer that announced the order owns the purchase, after merges.
  func isOwn(_ purchase: PurchaseRow, of order: OrderRow) throws(LedgerError) -> Bool {
    if order.customer == purchase.customer { return true }
    return try customers.survivor(of: order.customer).number == owner(of: purchase).number
  }

  /// Whether the purchase is refunded, and the customer's.
  func isRefunded(_ number: Int64, of owner: FoundCustomer) throws(LedgerError) -> Bool {
    guard let row = try purchases.find(number), row.refund != nil else { return false }
    return try self.owner(of: row).number == owner.number
  }

  /// Sets a count, as part of the transaction or of a later one.
  mutating func set(_ row: CountRow, by transaction: TransactionNumber) {
    journal.add(counts.set(row, by: transaction))
  }

  mutating func endCount(_ row: CountRow) { counts.end(row) }

  /// Adds items of the newest transaction to the customer's, and to its booking.
  mutating func add(
    _ items: [(ItemID, Int64)], to customer: FoundCustomer, _ booking: inout Booking
  ) throws(LedgerError) {
    for (item, quantity) in items {
      booking.items.append(
        try self.items.add(quantity, of: item, to: customer.number, in: journal.sequences.transaction))
    }
  }
}
