// Owners are the customer numbers at the time of writing; merges do not change them.

// MARK: Transactions

extension StorageSnapshot {
  package func transaction(
    _ number: TransactionNumber, of owner: CustomerNumber? = nil
  ) throws(LedgerError) -> TransactionRow? {
    try row(TransactionRow.byNumber, IndexKey(number, of: owner))
  }

  /// The customer's transactions below a number that touched no balance, newest first.
  package func transactionsWithoutEntries(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [TransactionNumber] {
    let rows: [TransactionRow] = try page(
      TransactionRow.withoutEntries, IndexKey(customer), after: IndexPlace(below), limit: limit)
    return rows.map(\.number)
  }
}

// MARK: Entries

extension StorageSnapshot {
  package func entry(_ number: EntryNumber, of owner: CustomerNumber? = nil) throws(LedgerError) -> EntryRow? {
    try row(EntryRow.byNumber, IndexKey(number, of: owner))
  }

  /// Returns the entries on at least the owner's accounts, in the order of their numbers.
  package func entries(
    of transaction: TransactionNumber, of owner: CustomerNumber? = nil
  ) throws(LedgerError) -> [EntryRow] {
    try rows(EntryRow.ofTransaction, [IndexKey(transaction, of: owner)])
  }

  /// Returns the entries of a transaction row.
  package func entries(of transaction: TransactionRow) throws(LedgerError) -> [EntryRow] {
    try rows(EntryRow.ofTransaction, [IndexKey(transaction.number, transaction.firstEntry, of: transaction.customer)])
  }

  package func allocations(
    of entry: EntryNumber, of owner: CustomerNumber? = nil
  ) throws(LedgerError) -> [AllocationRow] {
    try rows(AllocationRow.ofEntry, [IndexKey(entry, of: owner)])
  }
}

// MARK: Events, holds and counts

extension StorageSnapshot {
  /// Returns the events of a transaction, in the order of their positions.
  ///
  /// - Parameter owners: The customers that the events may be stored with.
  package func events(
    of transaction: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [JournalEventRow] {
    let found = try rows(JournalEventRow.ofTransaction, [IndexKey](transaction, ofAny: owners))
    return owners.count > 1 ? found.sorted { $0.position < $1.position } : found
  }

  /// Returns the events about a hold or an undone transaction, in the order of transactions and positions.
  package func events(
    about target: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [JournalEventRow] {
    let found = try rows(JournalEventRow.about, [IndexKey](target, ofAny: owners))
    return owners.count > 1 ? found.sorted(by: JournalEventRow.precedes) : found
  }

  /// Reads the events about held amounts and counts, from a customer's transactions below a number, newest first.
  ///
  /// All such events of the last transaction are returned, so the result may have more than `limit`.
  package func events(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [JournalEventRow] {
    guard limit > 0 else { return [] }
    let found = try page(
      JournalEventRow.askedByCustomer, IndexKey(customer), after: IndexPlace(below), limit: limit)
    guard found.count >= limit, let last = found.last, last.position > 1 else { return found }
    let rest = try events(of: last.transaction, ofAny: [customer]).filter {
      $0.position < last.position && $0.customer == customer && $0.kind.isAskedByCustomer
    }
    return found + rest.reversed()
  }

  /// - Parameter owners: Empty if they are not known yet; then only a row that is found without an owner is returned.
  package func hold(
    _ number: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> HoldRow? {
    try rows(HoldRow.byNumber, [IndexKey](number, ofAny: owners)).first
  }

  /// Returns all open holds of the customer, earliest deadline first.
  package func holds(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] {
    try rows(HoldRow.ofCustomer, [IndexKey(customer)])
  }

  /// Returns all counts of the customer, in the order of their keys.
  package func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] {
    try rows(CountRow.ofCustomer, [IndexKey(customer)])
  }
}

extension JournalEventRow {
  /// Whether the first precedes the second in the order of transactions and positions.
  package static func precedes(_ one: Self, _ other: Self) -> Bool {
    (one.transaction, one.position) < (other.transaction, other.position)
  }
}
