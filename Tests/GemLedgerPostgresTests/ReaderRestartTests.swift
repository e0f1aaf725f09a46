#if PostgreSQL
import Foundation
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// Readers whose connection is lost.
final class ReaderRestartTests: XCTestCase {
  /// Rows may be with the caller's client by then; an export passes on the catalog before the first page of a scan.
  func testAReaderThatBeganAScanDoesNotRestart() throws {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    let ledger = try Ledger.createPostgres(at: url)
    defer { ledger.close() }
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    let database = try XCTUnwrap(URL(string: url)).lastPathComponent
    for (isScan, runs) in [(false, 3), (true, 1)] {
      var runCount = 0
      assertRefused(.storageUnavailable) {
        try ledger.storage.read { (snapshot) throws(LedgerError) in
          runCount += 1
          _ = try snapshot.catalogVersion()
          let scan = isScan ? try snapshot.scan() : nil
          defer { withExtendedLifetime(scan) {} }
          _ = try? server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'")
          _ = try snapshot.newestInstant()
        }
      }
      XCTAssertEqual(runCount, runs, "scan: \(isScan)")
    }
  }
}
#endif
