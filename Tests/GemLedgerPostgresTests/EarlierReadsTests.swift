#if PostgreSQL
import GemLedger
@testable import GemLedgerPostgres
import GemTestSupport
import XCTest

/// Compares the rows that a group looks up together with single reads, on one server and over machines.
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
    // Enough entries for a checkpoint of the account.
    let grant = LedgerCommand.adjust([try Make.amount("GEM", 1)], customer: try Make.customer("c7"))
    for answer in ledger.submit(Array(repeating: grant, count: 70)) { _ = try answer.get() }
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
        count: storage.layout.count, version: storage.layout.version,
        cluster: isDistributed ? Cluster(keys: (0..<Int32(storage.layout.count)).map(\.self)) : nil)
      func tables() throws -> PostgresSession {
        PostgresSession(
          try storage.connect(), storageName: "the test", layout: layout, memory: storage.memory,
          logSync: storage.logSync)
      }
      // The second round remembers the customers of the transactions.
      for _ in 0..<2 {
        let (group, reader) = (try tables(), try tables())
        group.begin(PostgresGroup(lanes: [0], token: .init(writer: [1], number: 1)))
        XCTAssertEqual(try group.prefetch(commands), [])
        try compare(group, reader, commands.flatMap { $0.footprint?.transactions ?? [] })
        try compareCheckpoints(group, reader)
        XCTAssertTrue(group.end(with: "ROLLBACK"))
        XCTAssertTrue(reader.end(with: "COMMIT"))
      }
      storage.close()
    }
  }

  /// Reads, and loads whatever is missing, until nothing is.
  private func loading<R>(
    _ group: PostgresSession, _ read: (PostgresSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    while true {
      do throws(LedgerError) {
        return try read(group)
      } catch {
        guard error == .rowsMissing, try group.loadMissing() else { throw error }
      }
    }
  }

  /// The key of a checkpoint contains the customer, unlike the keys of most rows that are stored with customers.
  private func compareCheckpoints(_ group: PostgresSession, _ reader: PostgresSession) throws {
    let owner = try XCTUnwrap(reader.customer(Make.customer("c7"))).number
    let account = try XCTUnwrap(reader.accounts(of: owner).first { $0.version > CheckpointRow.interval })
    let key = IndexKey(account.number.rawValue, CheckpointRow.interval)
    let checkpoint = try loading(group) { (session) throws(LedgerError) in
      try session.row(CheckpointRow.byVersion, key)
    }
    XCTAssertNotNil(checkpoint)
    XCTAssertEqual(checkpoint, try reader.row(CheckpointRow.byVersion, key))
  }

  private func compare(
    _ group: PostgresSession, _ reader: PostgresSession, _ numbers: [TransactionNumber]
  ) throws {
    XCTAssertEqual(numbers.count, 16)
    func assertSame<R: Equatable>(
      line: UInt = #line, _ read: (PostgresSession) throws(LedgerError) -> R
    ) throws -> R {
      let known = try loading(group, read)
      XCTAssertEqual(known, try read(reader), line: line)
      return known
    }
    for number in numbers {
      let row = try XCTUnwrap(assertSame { (session) throws(LedgerError) in try session.transaction(number) })
      let original = try XCTUnwrap(reader.customer(number: row.customer))
      let same = try loading(group) { (session) throws(LedgerError) in try session.customer(number: row.customer) }
      XCTAssertEqual(same?.mergedInto, original.mergedInto)
      let survivingCustomer = original.mergedInto == 0 ? original.number : original.mergedInto
      let owners =
        [survivingCustomer]
        + (try assertSame { (session) throws(LedgerError) in try session.mergedCustomers(into: survivingCustomer) })
      _ = try assertSame { (session) throws(LedgerError) in try session.hold(number, ofAny: owners) }
      _ = try assertSame { (session) throws(LedgerError) in try session.events(of: number, ofAny: owners) }
      let about: [JournalEventRow] = try assertSame { (session) throws(LedgerError) in
        try session.events(about: number, ofAny: owners)
      }
      XCTAssertFalse(about.isEmpty)
      var lots = Set(about.map(\.lot))
      for part in [number] + about.filter({ $0.kind == .reversal }).map(\.transaction) {
        let parts = try XCTUnwrap(TransactionParts.find(part, ofAny: owners, in: reader))
        let known = try XCTUnwrap(
          loading(group) { (session) throws(LedgerError) in try TransactionParts.find(part, ofAny: owners, in: session)
          })
        XCTAssertEqual(known.row, parts.row)
        XCTAssertEqual(known.entries, parts.entries)
        XCTAssertEqual(known.allocations, parts.allocations)
        XCTAssertEqual(known.items, parts.items)
        XCTAssertEqual(known.sources, parts.sources)
        lots.formUnion(parts.sources.keys)
      }
      for lot in lots.subtracting([0]) {
        for owner in owners {
          // On one server a group may find them without the customer, as memory and SQLite do.
          let attributes = try loading(group) { (session) throws(LedgerError) in
            try session.lotAttributes(lot, of: owner)
          }
          if let own = try reader.lotAttributes(lot, of: owner) {
            XCTAssertEqual(attributes, own)
          } else if attributes != nil {
            XCTAssertEqual(attributes, try reader.lotAttributes(lot))
          }
          let row = try assertSame { (session) throws(LedgerError) in try session.lot(lot, of: owner) }
          guard let purchase = row?.purchase else { continue }
          _ = try assertSame { (session) throws(LedgerError) in try session.purchase(number: purchase) }
        }
      }
    }
  }
}
#endif
