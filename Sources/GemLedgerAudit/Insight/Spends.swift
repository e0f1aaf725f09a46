public import GemLedger

/// A page of a customer's spends, newest first.
public struct SpendsPage: Hashable, Sendable {
  /// The spends.
  public let spends: [Spend]
  /// The start of the next page; nil on the last page.
  public let next: PageCursor?
}

/// A customer's spend of one currency, which a store requests before it decides about a refund.
public struct Spend: Hashable, Sendable {
  /// The transaction of the spend.
  public let transactionID: TransactionID
  /// The booking time.
  public let createdAt: Timestamp
  /// The currency.
  public let currency: CurrencyCode
  /// The amount; positive.
  public let amount: Int64
  /// The part from paid lots.
  public let paid: Int64
  /// The part that was given back later.
  public let reversed: Int64
  /// The caller's name for the subject of the transaction.
  public let reference: Reference?
  /// The reason given by a person.
  public let reason: Reason?
  /// The items that were bought with it.
  public let items: [PostedItem]
}

extension Ledger {
  /// Returns a customer's spends, newest first, without other entries.
  ///
  /// It includes spends of merged customers. The cost depends on the part of the history that the page covers.
  ///
  /// - Parameters:
  ///   - customer: Must exist.
  ///   - since: The earliest time of a spend; nil for all.
  ///   - limit: 1 to ``Limits/historyPage``.
  ///   - cursor: The end of the previous page; nil for the newest spends.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `customer_not_found`, `invalid_request`
  ///   for a cursor of another list.
  public func spends(
    of customer: CustomerID, since: Timestamp? = nil, limit: Int = 100, after cursor: PageCursor? = nil
  ) throws(LedgerError) -> SpendsPage {
    try Limits.check(page: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> SpendsPage in
      let found = try CustomerFinder(snapshot).customer(customer)
      let (list, salt) = (InsightList.spends(found.number), definitions.transactionIDs.salt)
      var below = try cursor?.position(list: list, salt: salt) ?? .max
      let reader = SpendReader(
        snapshot: snapshot, definitions: definitions, owners: try CustomerFinder(snapshot).related(to: found))
      let numbersOfCustomer = try CustomerFinder(snapshot).numbers(of: found)
      var spends: [Spend] = []
      while true {
        let numbers = try snapshot.newestTransactions(ofAny: numbersOfCustomer, below: below, limit: limit)
        let transactions = try snapshot.notedTransactions(numbers, ofAny: reader.owners)
        for number in numbers {
          guard number < below else { throw .leadsBack("transactions") }
          guard let transaction = transactions[number] else { throw .lacksTransaction(number) }
          if let since, transaction.parts.row.createdAt < since { return SpendsPage(spends: spends, next: nil) }
          if spends.count >= limit {
            return SpendsPage(spends: spends, next: PageCursor(position: below, list: list, salt: salt))
          }
          spends += try reader.spends(transaction)
          below = number
        }
        if numbers.count < limit { return SpendsPage(spends: spends, next: nil) }
      }
    }
  }
}

private struct SpendReader {
  let snapshot: any StorageSnapshot
  let definitions: CurrencyDefinitions
  let owners: [CustomerNumber]

  func spends(_ transaction: NotedTransaction) throws(LedgerError) -> [Spend] {
    let parts = transaction.parts
    let entries = parts.entries.filter { $0.kind == .spend && $0.account.customer == parts.row.customer }
    guard !entries.isEmpty else { return [] }
    let reversed = try reversed(parts.row.number)
    var spends: [Spend] = []
    for entry in entries {
      guard let currency = definitions.currency(number: entry.account.currency) else { continue }
      spends.append(
        Spend(
          transactionID: definitions.transactionIDs.id(number: parts.row.number, createdAt: parts.row.createdAt),
          createdAt: parts.row.createdAt, currency: currency.code, amount: -entry.amount,
          paid: Self.paid(entry, parts), reversed: reversed[entry.account.currency] ?? 0,
          reference: transaction.note?.reference, reason: transaction.note?.reason,
          items: parts.items.filter { $0.customer == parts.row.customer }.map(PostedItem.init)))
    }
    return spends.sorted { $0.currency < $1.currency }
  }

  private static func paid(_ entry: EntryRow, _ parts: TransactionParts) -> Int64 {
    if entry.lot != 0 { return parts.sources[entry.lot] == .paid ? -entry.amount : 0 }
    return parts.allocations.filter { $0.entry == entry.number && parts.sources[$0.lot] == .paid }.reduce(0) {
      $0 - $1.amount
    }
  }

  /// Returns the amounts that reversals of the transaction gave back, by currency number.
  private func reversed(_ number: TransactionNumber) throws(LedgerError) -> [Int64: Int64] {
    var amounts: [Int64: Int64] = [:]
    for event in try snapshot.events(about: number, ofAny: owners) where event.kind == .reversal {
      for entry in try snapshot.entries(of: event.transaction, of: event.customer) where entry.kind == .reversal {
        try amounts[entry.account.currency, default: 0].add(entry.amount)
      }
    }
    return amounts
  }
}
