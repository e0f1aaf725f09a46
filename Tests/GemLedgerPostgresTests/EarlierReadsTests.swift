#if PostgreSQL
import GemLedger
@testable import GemLedgerPostgres
import GemTestSupport
import XCTest

/// Compares the earlier transactions that a group fetches at once with single reads, on one server and over machines.
final class EarlierReadsTests: XCTestCase {
  /// Books holds and spends, with captures, reversals, merges and a refund that change them.
  private func fill(_ ledger: Ledger) throws -> (holds: [HoldID], spends: [TransactionID]) {
    try ledger.apply(Make.catalog())
    var (holds, spends): ([HoldID], [TransactionID]) = ([], [])
    for number in 0..<8 {
      let customer = try Make.customer("c\(number)")
      try ledger.creditPurchase(Make.purchase("t\(number)"), customer: customer)
      try ledger.grant([Make.amount("GEM", 60)], customer: customer)
      try ledger.grant([Make.amount("GEM", 30)], customer: customer, source: .promotional)
      holds.append(try XCTUnwrap(try ledger.hold([Make.amount("GEM", 100)], customer: customer).hold?.id))
      try ledger.capture(holds[number], amounts: [Make.amount("GEM", 30)], keepsOpen: true)
      let spend = try ledger.spend([Make.amount("GEM", 700)], customer: customer)
      spends.append(try XCTUnwrap(spend.transactionID))
      try ledger.reverse(spends[number], amounts: [Make.amount("GEM", 100)])
    }
    for (from, into) in [(1, 0), (2, 0), (0, 3)] {
      try ledger.merge(from: Make.customer("c\(from)"), into: Make.customer("c\(into)"))
    }
    try ledger.reverse(spends[1], amounts: [Make.amount("GEM", 10)])
    try ledger.capture(holds[2], amounts: [Make.amount("GEM", 10)], keepsOpen: true)
    try ledger.refund(Make.refund("t5"))
    return (holds, spends)
  }

  func testAGroupKnowsWhatWasBookedBefore() throws {
    let schemas = try Schemas()
    let ledger = try schemas.create(lanes: 1)
    let (holds, spends) = try fill(ledger)
    try assertBooksAddUp(ledger)
    ledger.close()
    let commands = holds.map { LedgerCommand.release($0) } + spends.map { LedgerCommand.reverse($0) }
    for isDistributed in [false, true] {
      let storage = try PostgresStorage(url: schemas.current)
      let layout = LaneLayout(
        heads: storage.layout.heads, version: storage.layout.version, isDistributed: isDistributed)
      func tables() throws -> PostgresSession {
        PostgresSession(try storage.connect(), storageName: "the test", layout: layout, memory: storage.memory)
      }
      // The second round remembers the customers of the transactions.
      for most in [7, 6] {
        let (group, reader) = (try tables(), try tables())
        group.begin(PostgresGroup(lanes: [0], token: .init(writer: [1], number: 1)))
        XCTAssertEqual(try group.prefetch(commands), [])
        XCTAssertLessThanOrEqual(group.connection.roundTrips, most + 3)
        // Rows that few commands read are fetched for all commands with the first command that reads them.
        try group.earlierReads.fetchEarlier(.all, of: XCTUnwrap(commands[0].footprint?.transactions[0]))
        XCTAssertLessThanOrEqual(group.connection.roundTrips, most + 5)
        try compare(group, reader, commands.flatMap { $0.footprint?.transactions ?? [] })
        XCTAssertTrue(group.end(with: "ROLLBACK"))
        XCTAssertTrue(reader.end(with: "COMMIT"))
      }
      storage.close()
    }
  }

  private func compare(
    _ group: PostgresSession, _ reader: PostgresSession, _ numbers: [TransactionNumber]
  ) throws {
    XCTAssertEqual(numbers.count, 16)
    let before = group.connection.roundTrips
    for number in numbers {
      let row = try XCTUnwrap(reader.transaction(number))
      XCTAssertEqual(try group.transaction(number), row)
      let original = try XCTUnwrap(reader.customer(number: row.customer))
      let survivingCustomer = original.mergedInto == 0 ? original.number : original.mergedInto
      let owners = [survivingCustomer] + (try reader.mergedCustomers(into: survivingCustomer))
      XCTAssertEqual([survivingCustomer] + (try group.mergedCustomers(into: survivingCustomer)), owners)
      XCTAssertEqual(try group.hold(number, ofAny: owners), try reader.hold(number, ofAny: owners))
      XCTAssertEqual(try group.events(of: number, ofAny: owners), try reader.events(of: number, ofAny: owners))
      let about = try reader.events(about: number, ofAny: owners)
      XCTAssertFalse(about.isEmpty)
      XCTAssertEqual(try group.events(about: number, ofAny: owners), about)
      var lots = Set(about.map(\.lot))
      for part in [number] + about.filter({ $0.kind == .reversal }).map(\.transaction) {
        let parts = try XCTUnwrap(reader.parts(of: part, ofAny: owners))
        let known = try XCTUnwrap(group.parts(of: part, ofAny: owners))
        XCTAssertEqual(known.row, parts.row)
        XCTAssertEqual(known.entries, parts.entries)
        XCTAssertEqual(known.allocations, parts.allocations)
        XCTAssertEqual(known.items, parts.items)
        XCTAssertEqual(known.sources, parts.sources)
        lots.formUnion(parts.sources.keys)
      }
      for lot in lots.subtracting([0]) { try compare(group, reader, lot: lot, owners) }
    }
    XCTAssertEqual(group.connection.roundTrips, before)
  }

  private func compare(
    _ group: PostgresSession, _ reader: PostgresSession, lot: LotNumber, _ owners: [CustomerNumber]
  ) throws {
    let attributes = try owners.lazy.compactMap { try reader.lotAttributes(lot, of: $0) }.first
    XCTAssertNotNil(attributes)
    let row = try owners.compactMap { try reader.lot(lot, of: $0) }.first
    // A lot in its account's row has no row of its own; the account's row then holds its attributes.
    guard let row else { return }
    XCTAssertTrue(try owners.contains { try group.lotAttributes(lot, of: $0) == attributes })
    XCTAssertTrue(try owners.contains { try group.lot(lot, of: $0) == row })
    guard let purchase = row.purchase else { return }
    XCTAssertEqual(try group.purchase(number: purchase), try reader.purchase(number: purchase))
  }
}
#endif
