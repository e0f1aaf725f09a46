#if PostgreSQL
  import GemLedger
  import GemLedgerPostgres
  import GemTestSupport
  import XCTest

  /// Lists of commands, on one lane and on several, of which some commands touch one and others several.
  final class RoutedListTests: XCTestCase {
    func testAListGivesWhatItsCommandsGiveOneAfterTheOther() throws {
      let schemas = try Schemas()
      for dice in InvariantContract.dice(2) {
        try ListContract(dice: dice) { try schemas.create(clock: $0, lanes: 1) }.run(lists: 12, of: 120)
      }
    }

    func testTheSameOverLanes() throws {
      let schemas = try Schemas()
      for dice in InvariantContract.dice(3) {
        try ListContract(dice: dice, comparesLots: false) { try schemas.create(clock: $0, lanes: 3) }
          .run(lists: 12, of: 120)
      }
    }
  }
#endif
