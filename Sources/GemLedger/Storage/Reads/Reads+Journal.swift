// Owners are the customers' own numbers at the time of writing; merges do not change them.

// MARK: Transactions

extension StorageSnapshot {
  package func transaction(
    _ number: TransactionNumber, of owner: CustomerNumber? = nil
  ) throws(LedgerError) -> TransactionRow? {
    try row(.byNumber, IndexKey(number, of: owner))
  }

  package func transactions(_ wanted: [RowAddress]) throws(LedgerError) -> [TransactionNumber: TransactionRow] {
    try rows(.byNumber, wanted.keys, by: \.number)
  }

  /// The customer's transactions below a number that touched no balance, newest first.
  package func transactionsWithoutEntries(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [TransactionNumber] {
    let rows: [TransactionRow] = try page(
      .withoutEntries, IndexKey(customer), after: IndexPlace(below), limit: limit)
    return rows.map(\.number)
  }

  /// Which of these transactions are in their customers' lists of those that touched no balance.
  package func transactionsWithoutEntries(_ wanted: [RowAddress]) throws(LedgerError) -> Set<TransactionNumber> {
    let keys = wanted.compactMap { address in address.customer.map { IndexKey($0, address.number) } }
    guard !keys.isEmpty else { return [] }
    let rows: [TransactionRow] = try rows(.listedWithoutEntries, keys)
    return Set(rows.map(\.number))
  }

  package func note(
    _ transaction: TransactionNumber, of owner: CustomerNumber? = nil
  ) throws(LedgerError) -> NoteRow? {
    try row(.ofTransaction, IndexKey(transaction, of: owner))
  }

  /// Those of the owner at least.
  package func items(
    of transaction: TransactionNumber, of owner: CustomerNumber? = nil
  ) throws(LedgerError) -> [ItemEntryRow] {
    try rows(.ofTransaction, [IndexKey(transaction, of: owner)])
  }

  /// Finds the merged customer of each of these merges, and the survivor of each unmerge.
  ///
  /// - Parameter merges: Each with the customer of its transaction.
  package func mergedCustomers(by merges: [RowAddress]) throws(LedgerError) -> [TransactionNumber: CustomerNumber] {
    let rows: [TransactionNumber: MergeRow] = try rows(.byTransaction, merges.keys, by: \.transaction)
    return rows.mapValues(\.from)
  }
}

// MARK: Entries

extension StorageSnapshot {
  package func entry(_ number: EntryNumber, of owner: CustomerNumber? = nil) throws(LedgerError) -> EntryRow? {
    try row(.byNumber, IndexKey(number, of: owner))
  }

  package func entries(_ wanted: [RowAddress]) throws(LedgerError) -> [EntryNumber: EntryRow] {
    try rows(.byNumber, wanted.keys, by: \.number)
  }

  /// Those on accounts of the owner at least, in the order of their numbers.
  package func entries(
    of transaction: TransactionNumber, of owner: CustomerNumber? = nil
  ) throws(LedgerError) -> [EntryRow] {
    try rows(.ofTransaction, [IndexKey(transaction, of: owner)])
  }

  /// The same, from the transaction's own row.
  package func entries(of transaction: TransactionRow) throws(LedgerError) -> [EntryRow] {
    try rows(.ofTransaction, [IndexKey(transaction.number, transaction.firstEntry, of: transaction.customer)])
  }

  /// Reads the entries of each transaction in the order of their numbers; a transaction without any is left out.
  package func entries(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [EntryRow]] {
    try rows(.ofTransaction, transactions.keys, groupedBy: \.transaction)
  }

  package func allocations(
    of entry: EntryNumber, of owner: CustomerNumber? = nil
  ) throws(LedgerError) -> [AllocationRow] {
    try rows(.ofEntry, [IndexKey(entry, of: owner)])
  }

  /// The allocations of each entry in the order of their positions; one without is left out.
  package func allocations(of entries: [RowAddress]) throws(LedgerError) -> [EntryNumber: [AllocationRow]] {
    try rows(.ofEntry, entries.keys, groupedBy: \.entry)
  }
}

// MARK: Events, holds and counts

extension StorageSnapshot {
  /// In the order of their positions.
  ///
  /// - Parameter owners: The customers that the events may be stored with.
  package func events(
    of transaction: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [JournalEventRow] {
    let found: [JournalEventRow] = try rows(.ofTransaction, Self.keys(transaction, ofAny: owners))
    return owners.count > 1 ? found.sorted { $0.position < $1.position } : found
  }

  /// The events of each transaction in the order of their positions; one without is left out.
  package func events(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [JournalEventRow]] {
    try rows(.ofTransaction, transactions.keys, groupedBy: \.transaction)
  }

  /// Those about a hold or an undone transaction, in the order of transactions and positions.
  package func events(
    about target: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> [JournalEventRow] {
    let found: [JournalEventRow] = try rows(.about, Self.keys(target, ofAny: owners))
    return owners.count > 1 ? found.sorted(by: JournalEventRow.precedes) : found
  }

  /// - Parameter targets: Each with the customers that its events may be stored with.
  package func events(
    about targets: [TransactionNumber: [CustomerNumber]]
  ) throws(LedgerError) -> [TransactionNumber: [JournalEventRow]] {
    let keys = targets.flatMap { Self.keys($0.key, ofAny: $0.value) }
    let rows: [TransactionNumber: [JournalEventRow]] = try rows(.about, keys, groupedBy: \.target)
    return rows.mapValues { $0.sorted(by: JournalEventRow.precedes) }
  }

  /// Reads the events about held amounts and counts, from a customer's transactions below a number, newest first.
  ///
  /// All such events of the last transaction are returned, so that there may be more than `limit`.
  package func events(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [JournalEventRow] {
    guard limit > 0 else { return [] }
    let found: [JournalEventRow] = try page(
      .askedByCustomer, IndexKey(customer), after: IndexPlace(below), limit: limit)
    guard found.count >= limit, let last = found.last, last.position > 1 else { return found }
    let rest = try events(of: last.transaction, ofAny: [customer]).filter {
      $0.position < last.position && $0.customer == customer && $0.kind.isAskedByCustomer
    }
    return found + rest.reversed()
  }

  /// - Parameter owners: Empty where they are not known yet; then only a row that is found without them is returned.
  package func hold(
    _ number: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> HoldRow? {
    try rows(.byNumber, Self.keys(number, ofAny: owners)).first
  }

  /// All open ones of the customer, those that end first before the others.
  package func holds(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] {
    try rows(.ofCustomer, [IndexKey(customer)])
  }

  package func count(_ key: CountKey, of customer: CustomerNumber) throws(LedgerError) -> CountRow? {
    try row(.byKey, IndexKey(customer, key.kind.rawValue, text: key.subject))
  }

  /// All of the customer, in the order of their keys.
  package func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] {
    try rows(.ofCustomer, [IndexKey(customer)])
  }

  private static func keys(_ number: Int64, ofAny owners: [CustomerNumber]) -> [IndexKey] {
    owners.isEmpty ? [IndexKey(number)] : owners.map { IndexKey(number, of: $0) }
  }
}

extension JournalEventRow {
  /// Whether it comes before another in the order of transactions and positions.
  package static func precedes(_ one: Self, _ other: Self) -> Bool {
    (one.transaction, one.position) < (other.transaction, other.position)
  }
}
