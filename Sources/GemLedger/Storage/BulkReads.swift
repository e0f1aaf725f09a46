/// The address of a row: its number and its customer.
///
/// A storage that keeps the rows of one customer together finds a row by both.
package struct RowAddress: Hashable, Sendable {
  package var number: Int64
  /// The number of the customer that the row is stored with; nil where the caller cannot know it.
  package var customer: CustomerNumber?

  package init(_ number: Int64, of customer: CustomerNumber?) {
    self.number = number
    self.customer = customer
  }
}

/// The address of a checkpoint.
package struct CheckpointAddress: Hashable, Sendable {
  package var account: AccountNumber
  package var version: Int64

  package init(_ account: AccountNumber, version: Int64) {
    self.account = account
    self.version = version
  }
}

/// How many rows the journal has, as the storage counts them beside it.
package struct JournalCounts: Hashable, Sendable {
  package var transactions: Int64
  package var entries: Int64
  /// Whether the storage numbers sparsely, as ``Numbering`` says, and does not only keep another storage's numbers.
  package var isSparse: Bool

  package init(transactions: Int64, entries: Int64, isSparse: Bool = true) {
    self.transactions = transactions
    self.entries = entries
    self.isSparse = isSparse
  }
}

/// Batch reads, for callers that read all rows: `verify` makes one call for each page of a scan.
///
/// Each call returns the rows that exist, by the addresses or numbers asked for. A caller may ask for a row twice or
/// for none at all. Each call has a default that reads one row after another, for storages without a network in
/// between.
///
/// Where an address names a customer, the storage may return or leave out another customer's row of that number, unless
/// the call says otherwise. Where an address names none, the row must be found by its number alone.
package protocol BulkReads: AnyObject {
  /// How many rows the journal has; nil where its numbers have no gaps and so are the counts.
  func journalCounts() throws(LedgerError) -> JournalCounts?
  /// Returns the number of the customer behind `count` others after a number; nil where there are no more.
  func customerNumber(after: CustomerNumber, skipping count: Int) throws(LedgerError) -> CustomerNumber?

  func customers(_ wanted: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: CustomerRow]
  /// Finds the customer that each id names.
  func customers(named wanted: [CustomerID]) throws(LedgerError) -> [CustomerID: FoundCustomer]
  /// Reads the ids that were added to the customers' original ids; a customer without any may be left out.
  func addedIDs(of customers: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: [CustomerID]]
  /// All accounts of the customers, in any order.
  func accounts(of customers: [CustomerNumber]) throws(LedgerError) -> [AccountRow]
  /// Each address names a past or present owner of the lot.
  ///
  /// The attributes may be stored with a first owner that was merged with that customer, and must be found there too.
  func lotAttributes(_ wanted: [RowAddress]) throws(LedgerError) -> [LotNumber: LotAttributesRow]
  func checkpoints(_ wanted: [CheckpointAddress]) throws(LedgerError) -> [CheckpointAddress: CheckpointRow]

  /// Addresses name no customer for refunds of merged customers, and for refunds that froze a customer.
  func transactions(_ wanted: [RowAddress]) throws(LedgerError) -> [TransactionNumber: TransactionRow]
  /// Addresses name the customer of the entry's account.
  func entries(_ wanted: [RowAddress]) throws(LedgerError) -> [EntryNumber: EntryRow]
  /// Reads the entries of each transaction in the order of their numbers; a transaction without any may be left out.
  ///
  /// Addresses name no customer for refunds of merged customers.
  func entries(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [EntryRow]]
  /// The allocations of each entry in the order of their positions; one without may be left out.
  func allocations(of entries: [RowAddress]) throws(LedgerError) -> [EntryNumber: [AllocationRow]]
  /// Which of these transactions are in their customers' lists of those that touched no balance.
  func transactionsWithoutEntries(_ wanted: [RowAddress]) throws(LedgerError) -> Set<TransactionNumber>

  /// The events of each transaction in the order of their positions; one without may be left out.
  ///
  /// Addresses name the customer of the events.
  func events(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [JournalEventRow]]
  /// Reads the journal events about each transaction, in the order of transactions and positions; one without any may
  /// be left out.
  ///
  /// - Parameter targets: Each with the customers that its events may be stored with.
  func events(
    about targets: [TransactionNumber: [CustomerNumber]]
  ) throws(LedgerError) -> [TransactionNumber: [JournalEventRow]]

  /// Addresses name no customer for purchases that an order or the state of a refund names.
  func purchases(_ wanted: [RowAddress]) throws(LedgerError) -> [Int64: PurchaseRow]
  func entitlementHolders(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: CustomerNumber]
  func refundEvidence(of purchases: [PurchaseIdentity]) throws(LedgerError) -> [PurchaseIdentity: [RefundEvidenceRow]]
  /// The refunds of each purchase, oldest first; one without may be left out.
  func refunds(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: [RefundRow]]
  /// Reads the parts of each refund in the order of their positions; a refund without any may be left out.
  ///
  /// Addresses name no customer for refunds of merged customers.
  func refundParts(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [RefundPartRow]]
}

// MARK: One row after another

extension StorageSnapshot {
  package func journalCounts() throws(LedgerError) -> JournalCounts? { nil }

  package func customerNumber(after: CustomerNumber, skipping count: Int) throws(LedgerError) -> CustomerNumber? {
    // Numbers without gaps need no look at the customers.
    guard try journalCounts() != nil else {
      let next = after + Int64(count) + 1
      return try next <= last(.customer) ? next : nil
    }
    var (position, left) = (after, count + 1)
    while left > 0 {
      let page = try customers(after: position, limit: min(left, ScanPage.size))
      guard let end = page.last?.number else { return nil }
      (position, left) = (end, left - page.count)
    }
    return position
  }

  package func customers(_ wanted: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: CustomerRow] {
    try each(wanted, by: \.self) { (number) throws(LedgerError) in try customer(number: number) }
  }

  package func customers(named wanted: [CustomerID]) throws(LedgerError) -> [CustomerID: FoundCustomer] {
    try each(wanted, by: \.self) { (id) throws(LedgerError) in try customer(id) }
  }

  package func addedIDs(of customers: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: [CustomerID]] {
    try all(of: customers, by: \.self) { (number) throws(LedgerError) in try addedIDs(of: number) }
  }

  package func accounts(of customers: [CustomerNumber]) throws(LedgerError) -> [AccountRow] {
    var found: [AccountRow] = []
    for number in customers { found += try accounts(of: number) }
    return found
  }

  package func lotAttributes(_ wanted: [RowAddress]) throws(LedgerError) -> [LotNumber: LotAttributesRow] {
    try each(wanted, by: \.number) { (position) throws(LedgerError) in try lotAttributes(position.number) }
  }

  package func checkpoints(_ wanted: [CheckpointAddress]) throws(LedgerError) -> [CheckpointAddress: CheckpointRow] {
    try each(wanted, by: \.self) { (position) throws(LedgerError) in
      try checkpoint(position.account, version: position.version)
    }
  }

  package func transactions(_ wanted: [RowAddress]) throws(LedgerError) -> [TransactionNumber: TransactionRow] {
    try each(wanted, by: \.number) { (position) throws(LedgerError) in try transaction(position.number) }
  }

  package func entries(_ wanted: [RowAddress]) throws(LedgerError) -> [EntryNumber: EntryRow] {
    try each(wanted, by: \.number) { (position) throws(LedgerError) in try entry(position.number) }
  }

  package func entries(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [EntryRow]] {
    try all(of: transactions, by: \.number) { (position) throws(LedgerError) in try entries(of: position.number) }
  }

  package func allocations(of entries: [RowAddress]) throws(LedgerError) -> [EntryNumber: [AllocationRow]] {
    try all(of: entries, by: \.number) { (position) throws(LedgerError) in try allocations(of: position.number) }
  }

  package func events(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [JournalEventRow]] {
    try all(of: transactions, by: \.number) { (position) throws(LedgerError) in
      try events(of: position.number, ofAny: position.customer.map { [$0] } ?? [])
    }
  }

  package func events(
    about targets: [TransactionNumber: [CustomerNumber]]
  ) throws(LedgerError) -> [TransactionNumber: [JournalEventRow]] {
    try all(of: Array(targets), by: \.key) { (target) throws(LedgerError) in
      try events(about: target.key, ofAny: target.value)
    }
  }

  package func transactionsWithoutEntries(_ wanted: [RowAddress]) throws(LedgerError) -> Set<TransactionNumber> {
    var found: Set<TransactionNumber> = []
    for position in wanted {
      guard let customer = position.customer else { continue }
      let newest = try transactionsWithoutEntries(of: customer, below: position.number + 1, limit: 1)
      if newest == [position.number] { found.insert(position.number) }
    }
    return found
  }

  package func purchases(_ wanted: [RowAddress]) throws(LedgerError) -> [Int64: PurchaseRow] {
    try each(wanted, by: \.number) { (position) throws(LedgerError) in try purchase(number: position.number) }
  }

  package func entitlementHolders(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: CustomerNumber] {
    try each(purchases, by: \.number) { (position) throws(LedgerError) in
      try entitlementHolder(purchase: position.number)
    }
  }

  package func refundEvidence(
    of purchases: [PurchaseIdentity]
  ) throws(LedgerError) -> [PurchaseIdentity: [RefundEvidenceRow]] {
    try all(of: purchases, by: \.self) { (identity) throws(LedgerError) in try refundEvidence(identity) }
  }

  package func refunds(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: [RefundRow]] {
    try all(of: purchases, by: \.number) { (position) throws(LedgerError) in try refunds(of: position.number) }
  }

  package func refundParts(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [RefundPartRow]] {
    try all(of: transactions, by: \.number) { (position) throws(LedgerError) in try refundParts(of: position.number) }
  }

  @inline(__always)
  private func each<Address, Key: Hashable, Row>(
    _ wanted: [Address], by key: (Address) -> Key, _ row: (Address) throws(LedgerError) -> Row?
  ) throws(LedgerError) -> [Key: Row] {
    var found = [Key: Row](minimumCapacity: wanted.count)
    for position in wanted {
      if let row = try row(position) { found[key(position)] = row }
    }
    return found
  }

  @inline(__always)
  private func all<Address, Key: Hashable, Row>(
    of wanted: [Address], by key: (Address) -> Key, _ rows: (Address) throws(LedgerError) -> [Row]
  ) throws(LedgerError) -> [Key: [Row]] {
    var found: [Key: [Row]] = [:]
    for position in wanted {
      let rows = try rows(position)
      if !rows.isEmpty { found[key(position)] = rows }
    }
    return found
  }
}
