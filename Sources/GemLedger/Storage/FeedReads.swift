/// Reads that the feed is made of.
///
/// The defaults suit storages with one writer, which commits transactions in the order of their numbers.
package protocol FeedReads: AnyObject {
  /// Whether a transaction is never committed after one with a higher number.
  var commitsInOrder: Bool { get }
  /// The first transactions that are not behind the position, in the order of their numbers.
  func feedTransactions(after position: FeedPosition, limit: Int) throws(LedgerError) -> [TransactionRow]
  /// Finds the merged customer of each of these merges, and the survivor of each unmerge.
  ///
  /// - Parameter merges: Each with the customer of its transaction.
  func mergedCustomers(by merges: [RowAddress]) throws(LedgerError) -> [TransactionNumber: CustomerNumber]
  /// Finds the numbers of the purchases that these transactions credited.
  ///
  /// - Parameter transactions: Each with its customer.
  func purchases(creditedBy transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: Int64]
  /// Finds the refunds that these transactions booked; one that booked none is left out.
  ///
  /// - Parameter transactions: Each with its customer, into which the customer of the purchase may be merged.
  func refunds(bookedBy transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: RefundRow]
}

extension LedgerError {
  /// A page that does not end behind the one before it: going on would have no end.
  package static func leadsBack(_ rows: String) -> Self {
    Self(
      .storageDamaged,
      "The \(rows) in the storage are not in their order: a page of them leads back to an earlier one. Run verify.",
      details: [.text("rows", rows), .outOfOrder])
  }

  /// Whether rows came in another order than that of their positions.
  package var isOfOrder: Bool { details.contains(.outOfOrder) }
}

extension LedgerError.Detail {
  /// Marks damage that makes all that is read of its rows mean nothing.
  package static let outOfOrder = Self.text("damage", "order")
}

extension StorageSnapshot {
  package var commitsInOrder: Bool { true }

  package func feedTransactions(after position: FeedPosition, limit: Int) throws(LedgerError) -> [TransactionRow] {
    let scan = try scan()
    var found: [TransactionRow] = []
    var last = position.floor
    while found.count < limit {
      let rows = try scan.transactions(after: last, limit: limit - found.count)
      guard let end = rows.last?.number else { break }
      guard end > last else { throw .leadsBack("transactions") }
      // A cursor of when the journal lay in a storage with lanes knows more than its floor.
      found += rows.filter { !position.covers($0.number) }
      last = end
    }
    return found
  }

  package func mergedCustomers(by merges: [RowAddress]) throws(LedgerError) -> [TransactionNumber: CustomerNumber] {
    guard !merges.isEmpty else { return [:] }
    let scan = try scan()
    var found: [TransactionNumber: CustomerNumber] = [:]
    for address in merges {
      guard let row = try scan.merges(after: address.number - 1, limit: 1).first, row.transaction == address.number
      else {
        continue
      }
      found[address.number] = row.from
    }
    return found
  }

  package func purchases(creditedBy transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: Int64] {
    var found: [TransactionNumber: Int64] = [:]
    for (customer, own) in Dictionary(grouping: transactions, by: \.customer) {
      guard let customer else { continue }
      var wanted = Set(own.map(\.number))
      var below = Int64.max
      while !wanted.isEmpty {
        let page = try purchases(of: customer, below: below, limit: ScanPage.size)
        guard let end = page.last?.number else { break }
        for row in page where wanted.remove(row.transaction) != nil { found[row.transaction] = row.number }
        below = end
      }
    }
    return found
  }

  package func refunds(bookedBy transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: RefundRow] {
    guard !transactions.isEmpty else { return [:] }
    let scan = try scan()
    var found: [TransactionNumber: RefundRow] = [:]
    for address in transactions {
      guard let row = try scan.refunds(after: address.number - 1, limit: 1).first, row.transaction == address.number
      else {
        continue
      }
      found[address.number] = row
    }
    return found
  }
}
