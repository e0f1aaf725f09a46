package import GemLedger
internal import XCTest

// Reads and writes of rows in tests, past the rules.

extension Ledger {
  /// Commits the rows.
  package func writeAll(_ fill: (inout ChangeSet) throws -> Void) throws {
    var changes = ChangeSet()
    try fill(&changes)
    let rows = Rows(changes)
    try storage.commit(lanes: Array(0..<storage.traits.laneCount)) { (session) throws(LedgerError) in
      try session.write(rows.changes)
    }
  }

  /// Commits the rare rows.
  package func write(_ fill: (inout ColdChanges) throws -> Void) throws {
    var cold = ColdChanges()
    try fill(&cold)
    try writeAll { $0.cold = cold }
  }

  /// The id that an erasure leaves of the customer's.
  package func left(of number: CustomerNumber) throws(LedgerError) -> CustomerID {
    CustomerID(
      ofErased: number, salt: try storage.read { (snapshot) throws(LedgerError) in try snapshot.project().salt })
  }

  /// Erases all customers with the numbers, as one customer, under those ids.
  package func erase(_ numbers: [CustomerNumber], as ids: [CustomerID], by transaction: TransactionNumber) throws {
    var erasure = ErasureRow(transaction: transaction, numbers: numbers, ids: ids, former: [], added: [])
    let (rows, added) = try storage.read { (snapshot) throws(LedgerError) -> ([CustomerRow], [AddedIDRow]) in
      let rows = try snapshot.customers(numbers)
      let added = try snapshot.addedIDs(of: numbers)
      return (
        numbers.compactMap { rows[$0] },
        numbers.flatMap { number in (added[number] ?? []).map { AddedIDRow(customer: number, id: $0) } }
      )
    }
    erasure.former = rows.map(\.id)
    erasure.added = added
    try write { cold in
      cold.erasures = [erasure]
      cold.changedCustomers = zip(rows, ids).map { row, id in
        var row = row
        (row.id, row.frozenReason) = (id, nil)
        return row
      }
    }
  }

  /// Gives the customer one GEM; the number of the transaction.
  package func newTransaction(_ customer: String) throws -> TransactionNumber {
    try grant([Make.amount("GEM", 1)], customer: Make.customer(customer))
    return try newestTransaction(of: customer)
  }

  /// The transaction of the customer's newest entry of GEM.
  package func newestTransaction(of customer: String) throws -> TransactionNumber {
    let number = try number(of: customer)
    return try storage.read { (snapshot) throws(LedgerError) -> TransactionNumber in
      let account = try snapshot.account(AccountNumber(customer: number, currency: 1))
      return try snapshot.entry(account?.lastEntry ?? 0)?.transaction ?? 0
    }
  }

  package func number(of customer: String) throws -> CustomerNumber {
    let id = try Make.customer(customer)
    let found = try storage.read { (snapshot) throws(LedgerError) -> FoundCustomer? in try snapshot.customer(id) }
    return try XCTUnwrap(found).number
  }

  package struct ScannedEffects {
    package var events: [JournalEventRow] = []
    package var holds: [HoldRow] = []
    package var counts: [CountRow] = []
  }

  /// All effects, holds and counts, as a scan gives them.
  package func scanned(limit: Int) throws -> ScannedEffects {
    try storage.read { (snapshot) throws(LedgerError) -> ScannedEffects in
      let scan = try snapshot.scan()
      var found = ScannedEffects()
      while true {
        let page = try scan.page(after: found.events.last, limit: limit)
        if page.isEmpty { break }
        found.events += page
      }
      while true {
        let page = try scan.holds(after: found.holds.last?.number ?? 0, limit: limit)
        if page.isEmpty { break }
        found.holds += page
      }
      while true {
        let page = try scan.page(after: found.counts.last, limit: limit)
        if page.isEmpty { return found }
        found.counts += page
      }
    }
  }
}

/// Lets a closure that may run several times borrow the changes.
private final class Rows {
  let changes: ChangeSet

  init(_ changes: consuming ChangeSet) { self.changes = changes }
}
