import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

/// All of a read sees one state of the file, whoever writes meanwhile.
final class ReadStateTests: XCTestCase {
  private let time = ManualClock()

  func testAReadSeesNoneOfTheCommitsMadeMeanwhile() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("ledger.sqlite")
    let alice = try Make.customer("alice")
    let ledger = try Ledger.createSQLite(at: path, clock: time.clock, salt: 1)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 10)], customer: alice)
    let other = try Ledger.openSQLite(at: path, clock: time.clock)
    defer { for ledger in [ledger, other] { ledger.close() } }
    for writer in [ledger, other] {
      let (before, after) = try states(of: ledger, alice) {
        try writer.grant([Make.amount("GEM", 10)], customer: alice)
        var currencies = try writer.currentCatalog().currencies
        currencies[0].name += "!"
        try writer.apply(Catalog(currencies: currencies))
      }
      XCTAssertEqual(before, after)
    }
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 30)
    for ledger in [ledger, other] { XCTAssertTrue(try ledger.currentCatalog().currencies[0].name.hasSuffix("!!")) }
  }

  /// What one read finds before and after a body of other work.
  private func states(of ledger: Ledger, _ customer: CustomerID, around body: () throws -> Void) throws -> (
    before: State, after: State
  ) {
    let (states, failure) = try ledger.reading { (snapshot, _) throws(LedgerError) -> ([State], (any Error)?) in
      let before = try State(snapshot, customer)
      var failure: (any Error)?
      do { try body() } catch { failure = error }
      return ([before, try State(snapshot, customer)], failure)
    }
    if let failure { throw failure }
    return (states[0], states[1])
  }

  /// What a read may look at more than once.
  private struct State: Equatable {
    let catalogVersion: Int64
    let catalogRows: [CatalogRow]
    let accounts: [AccountRow]
    let sequences: Sequences

    init(_ snapshot: any StorageSnapshot, _ customer: CustomerID) throws(LedgerError) {
      catalogVersion = try snapshot.catalogVersion()
      catalogRows = try snapshot.catalogRows(.currency)
      let number = try snapshot.customer(customer)?.number ?? 0
      accounts = try snapshot.accounts(of: number)
      sequences = try snapshot.sequences()
    }
  }
}
