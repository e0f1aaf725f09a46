/// Makes history records and feed events from journal rows.
struct HistoryReader: ~Copyable {
  let snapshot: any StorageSnapshot
  let definitions: CurrencyDefinitions
  // The unit of work is empty, so reads return the stored rows.
  private let work: UnitOfWork

  init(snapshot: any StorageSnapshot, definitions: CurrencyDefinitions) {
    self.snapshot = snapshot
    self.definitions = definitions
    work = UnitOfWork(reading: snapshot)
  }

  /// Returns the records of a customer's transactions.
  ///
  /// - Parameters:
  ///   - owners: The customer's numbers in the journal.
  ///   - related: The owners and the customers once merged with them: their transactions may have entries of the
  ///     customer.
  ///   - customer: The id in the records.
  func records(
    _ numbers: [TransactionNumber], of owners: [CustomerNumber], among related: [CustomerNumber], customer: CustomerID
  ) throws(LedgerError) -> [HistoryRecord] {
    let found = try snapshot.notedTransactions(numbers, ofAny: related)
    let purchases = try purchases(of: found)
    var records: [HistoryRecord] = []
    for number in numbers {
      guard let transaction = found[number] else {
        throw LedgerError(.storageDamaged, "The journal lacks transaction \(number); run verify.")
      }
      if owners.contains(transaction.parts.row.customer) {
        records.append(try record(transaction, customer: customer, purchases[number]))
      } else {
        records.append(try otherSide(transaction, of: owners, customer: customer))
      }
    }
    return records
  }

  /// Returns the customer's side of a merge or an unmerge if the transaction belongs to the other customer.
  private func otherSide(
    _ transaction: NotedTransaction, of owners: [CustomerNumber], customer: CustomerID
  ) throws(LedgerError) -> HistoryRecord {
    var parts = transaction.parts
    let own = parts.entries.first { owners.contains($0.account.customer) }?.account.customer
    parts.row.customer = own ?? parts.row.customer
    let note = transaction.note
    return HistoryRecord(
      booking: try parts.booking(customer: customer, definitions: definitions), reference: note?.reference,
      reason: note?.reason, actor: note?.actor, purchase: nil)
  }

  /// Returns the feed's events of transactions of any customers.
  func events(_ rows: [TransactionRow]) throws(LedgerError) -> [FeedEvent] {
    guard !rows.isEmpty else { return [] }
    let merges = rows.filter { $0.kind == .merge || $0.kind == .unmerge }
    // The merged customer of a merge, and the survivor of an unmerge.
    let merged = try snapshot.rows(
      MergeRow.byTransaction, merges.map { IndexKey($0.number, of: $0.customer) }, by: \.transaction
    ).mapValues(\.from)
    let owners = Set(rows.map(\.customer) + merged.values).sorted()
    let customers = try snapshot.customers(owners)
    let found = try snapshot.notedTransactions(rows.map(\.number), ofAny: owners)
    let purchases = try purchases(of: found)
    var events: [FeedEvent] = []
    events.reserveCapacity(rows.count)
    for row in rows {
      guard let transaction = found[row.number], let customer = customers[row.customer] else {
        throw LedgerError(.storageDamaged, "The journal lacks parts of transaction \(row.number); run verify.")
      }
      var other: Booking?
      if let number = merged[row.number], let from = customers[number] {
        var parts = transaction.parts
        parts.row.customer = number
        other = try parts.booking(customer: from.id, definitions: definitions)
      }
      events.append(
        FeedEvent(record: try record(transaction, customer: customer.id, purchases[row.number]), merged: other))
    }
    return events
  }

  private func purchases(
    of transactions: [TransactionNumber: NotedTransaction]
  ) throws(LedgerError) -> [TransactionNumber: FeedPurchase] {
    try FeedPurchaseReader(snapshot: snapshot, definitions: definitions).purchases(
      of: transactions.values.map(\.parts))
  }

  private func record(
    _ transaction: NotedTransaction, customer: CustomerID, _ purchase: FeedPurchase?
  ) throws(LedgerError) -> HistoryRecord {
    let row = transaction.parts.row
    var booking = try transaction.parts.booking(customer: customer, definitions: definitions)
    if row.kind.hasEvents {
      try AnswerCompletion.completeAlone(work, &booking, of: row, definitions: definitions)
    }
    let note = transaction.note
    return HistoryRecord(
      booking: booking, reference: note?.reference, reason: note?.reason, actor: note?.actor, purchase: purchase)
  }
}
