#if PostgreSQL
import GemLedger
import GemLedgerAudit
@testable import GemLedgerPostgres
import GemTestSupport
import XCTest

/// Compares reads of many rows at a time with reads row by row, on one server and spread over machines.
final class PostgresReadsTests: XCTestCase {
  /// A ledger in which much happened, as scans read it.
  private struct Books {
    let tables: PostgresSession
    var transactions: [TransactionRow] = []
    var entries: [EntryRow] = []
    var allocations: [AllocationRow] = []
    var accounts: [AccountRow] = []

    init(_ tables: PostgresSession) throws {
      self.tables = tables
      let scan = try tables.scan()
      transactions = try whole(0, \.number) { try scan.transactions(after: $0, limit: 37) }
      entries = try whole(0, \.number) { try scan.entries(after: $0, limit: 37) }
      allocations = try whole(nil as AllocationRow?, \.self) { try scan.page(after: $0, limit: 37) }
      accounts = try whole(AccountNumber(rawValue: 0), \.number) { try scan.accounts(after: $0, limit: 37) }
    }

    /// Pages that end where others go on, and the whole once more from its beginning.
    func whole<Row: Hashable, CustomerAddress>(
      _ start: CustomerAddress, _ address: (Row) -> CustomerAddress, _ page: (CustomerAddress) throws -> [Row]
    ) throws -> [Row] {
      func once() throws -> [Row] {
        var (rows, last) = ([Row](), start)
        while true {
          let next = try page(last)
          guard let end = next.last else { return rows }
          rows += next
          last = address(end)
        }
      }
      let rows = try once()
      XCTAssertEqual(try once(), rows)
      XCTAssertEqual(Set(rows).count, rows.count)
      return rows
    }
  }

  private func withBooks(_ body: (Books) throws -> Void) throws {
    let schemas = try Schemas()
    var database = try ModelContract(generator: SeededRandom()) { try schemas.create(clock: $0, lanes: 1) }
    _ = try database.run(500)
    let storage = try PostgresStorage(url: schemas.current)
    defer { storage.close() }
    for isDistributed in [false, true] {
      let layout = LaneLayout(
        count: storage.layout.count, version: storage.layout.version,
        cluster: isDistributed ? Cluster(keys: (0..<Int32(storage.layout.count)).map(\.self)) : nil)
      let tables = PostgresSession(
        try storage.connect(), storageName: "the test", layout: layout, memory: storage.memory,
        logSync: storage.logSync)
      try body(try Books(tables))
      XCTAssertTrue(tables.end(with: "COMMIT"))
    }
  }

  func testReadsTheJournalInBulk() throws {
    try withBooks { books in
      let tables = books.tables
      let owned = books.transactions.map { RowAddress($0.number, of: $0.customer) }
      let unowned = owned.map { RowAddress($0.number, of: nil) }
      let transactions = Dictionary(uniqueKeysWithValues: books.transactions.map { ($0.number, $0) })
      XCTAssertEqual(try tables.transactions(owned + owned), transactions)
      XCTAssertEqual(try tables.transactions(unowned), transactions)
      let ofTransactions = Dictionary(grouping: books.entries, by: \.transaction)
      XCTAssertEqual(try tables.entries(of: unowned), ofTransactions)
      let addresses = books.entries.map { RowAddress($0.number, of: $0.account.customer) }
      let entries = Dictionary(uniqueKeysWithValues: books.entries.map { ($0.number, $0) })
      XCTAssertEqual(try tables.entries(addresses), entries)
      XCTAssertEqual(try tables.entries(addresses.map { RowAddress($0.number, of: nil) }), entries)
      XCTAssertEqual(try tables.allocations(of: addresses), Dictionary(grouping: books.allocations, by: \.entry))
      XCTAssertEqual(
        try tables.transactionsWithoutEntries(owned), Set(transactions.keys).subtracting(ofTransactions.keys))
      for row in books.transactions.prefix(50) {
        XCTAssertEqual(try tables.transaction(row.number), row)
        XCTAssertEqual(try tables.entries(of: row.number), ofTransactions[row.number] ?? [])
      }
    }
  }

  func testReadsCustomersInBulk() throws {
    try withBooks { books in
      let tables = books.tables
      let rows = try tables.customers(after: 0, limit: 1000)
      let (numbers, ids) = (rows.map(\.number), rows.map(\.id))
      XCTAssertGreaterThan(rows.count, 3)
      XCTAssertEqual(Set(try tables.customers(numbers).keys), Set(numbers))
      let named = try tables.customers(named: ids)
      for id in ids { XCTAssertEqual(named[id], try tables.customer(id)) }
      XCTAssertEqual(Set(try tables.accounts(of: numbers)), Set(books.accounts))
      XCTAssertEqual(
        try tables.journalCounts(),
        JournalCounts(transactions: Int64(books.transactions.count), entries: Int64(books.entries.count)))
    }
  }

  func testReadsAPageOfAHistoryInTwoRoundTrips() throws {
    try withBooks { books in
      let tables = books.tables
      for customer in try tables.customers(after: 0, limit: 1000) {
        let owners = [customer.number] + (try tables.mergedCustomers(into: customer.number))
        let own = books.entries.filter { owners.contains($0.account.customer) }.map(\.transaction)
        let bare = books.transactions.filter { row in
          owners.contains(row.customer) && !books.entries.contains { $0.transaction == row.number }
        }
        let expected = Set(own + bare.map(\.number)).sorted(by: >)
        let start = expected.count > 4 ? expected[1] : .max
        for (below, limit) in [(Int64.max, 1), (.max, 1000), (start, 3)] {
          let before = tables.connection.roundTrips
          let numbers = try tables.newestTransactions(ofAny: owners, below: below, limit: limit)
          let noted = try tables.notedTransactions(numbers, ofAny: owners)
          XCTAssertLessThanOrEqual(tables.connection.roundTrips - before, 2)
          XCTAssertEqual(numbers, Array(expected.filter { $0 < below }.prefix(limit)))
          for number in numbers { try check(noted[number], number, owners, books) }
        }
      }
    }
  }

  /// One read for credits; for refunds one, and two for each of the merges that lie between, where some were undone.
  func testFindsThePurchasesOfAFeedPageInFewRoundTrips() throws {
    try withBooks { books in
      let tables = books.tables
      let scan = try tables.scan()
      let credited = try books.whole(0, \.number) { try scan.purchases(after: $0, limit: 37) }
      let refunds = try books.whole(0, \.transaction) { try scan.refunds(after: $0, limit: 37) }
      XCTAssertGreaterThan(refunds.count, 0)
      let addresses = books.transactions.map { RowAddress($0.number, of: $0.customer) }
      let before = tables.connection.roundTrips
      let found = try tables.rows(PurchaseRow.creditedBy, addresses.keys, by: \.transaction)
      XCTAssertLessThanOrEqual(tables.connection.roundTrips - before, 1)
      XCTAssertEqual(
        found.mapValues(\.number), Dictionary(uniqueKeysWithValues: credited.map { ($0.transaction, $0.number) }))
      let then = tables.connection.roundTrips
      let refunded = addresses.filter { address in refunds.contains { $0.transaction == address.number } }
      let booked = try tables.rows(RefundRow.byTransaction, refunded.keys, by: \.transaction)
      XCTAssertLessThanOrEqual(tables.connection.roundTrips - then, 7)
      XCTAssertEqual(booked, Dictionary(uniqueKeysWithValues: refunds.map { ($0.transaction, $0) }))
    }
  }

  func testFindsAVersionOfAnAccountInOneRoundTrip() throws {
    try withBooks { books in
      let tables = books.tables
      for account in books.accounts {
        let own = books.entries.filter { $0.account == account.number }
        for version in [0, 1, account.version / 2, account.version - 1, account.version, account.version + 1] {
          let before = tables.connection.roundTrips
          let entry = try tables.entry(of: account, version: version)
          XCTAssertLessThanOrEqual(tables.connection.roundTrips - before, 1)
          XCTAssertEqual(entry, own.first { $0.version == version })
        }
      }
    }
  }

  /// Compares with reads row by row.
  private func check(
    _ noted: NotedTransaction?, _ number: TransactionNumber, _ owners: [CustomerNumber], _ books: Books
  ) throws {
    let row = try XCTUnwrap(books.transactions.first { $0.number == number })
    // A merged customer has entries in the merge, which belongs to the surviving customer.
    guard owners.contains(row.customer) else { return XCTAssertNil(noted) }
    let (tables, parts) = (books.tables, try XCTUnwrap(noted).parts)
    XCTAssertEqual(parts.row, row)
    let entries = parts.entries.filter { $0.account.customer == row.customer }
    XCTAssertEqual(entries, try tables.entries(of: number, of: row.customer))
    for entry in entries {
      let allocations = try tables.allocations(of: entry.number, of: row.customer)
      XCTAssertEqual(parts.allocations.filter { $0.entry == entry.number }, allocations)
      for lot in entry.lot == 0 ? allocations.map(\.lot) : [entry.lot] {
        XCTAssertEqual(parts.sources[lot], try XCTUnwrap(tables.lotAttributes(lot, of: row.customer)).source)
      }
    }
    let items = parts.items.filter { $0.customer == row.customer }
    XCTAssertEqual(items, try tables.rows(ItemEntryRow.ofTransaction, [IndexKey(number, of: row.customer)]))
    XCTAssertEqual(noted?.note, try tables.row(NoteRow.ofTransaction, IndexKey(number, of: row.customer)))
  }
}
#endif
