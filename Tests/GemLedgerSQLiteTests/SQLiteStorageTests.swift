import GemLedger
import GemLedgerSQLite
import GemTestSupport
import XCTest

final class SQLiteStorageTests: XCTestCase {
  func testMeetsStorageContract() throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try StorageContract { clock in
      count += 1
      return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
    }.runAll()
  }

  func testRefusesBadInput() async throws {
    let directory = try TemporaryDirectory()
    var count = 0
    try await BadInputContract { clock in
      count += 1
      return try Ledger.createSQLite(at: directory.path("\(count).sqlite"), clock: clock, salt: 1)
    }.runAll()
  }
}
