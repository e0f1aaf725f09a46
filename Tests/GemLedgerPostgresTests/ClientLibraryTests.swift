#if PostgreSQL
  import XCTest

  @testable import GemLedgerPostgres

  final class ClientLibraryTests: XCTestCase {
    func testItIsAtLeast13() {
      XCTAssertGreaterThanOrEqual(ClientLibrary.version, 130_000)
    }
  }
#endif
