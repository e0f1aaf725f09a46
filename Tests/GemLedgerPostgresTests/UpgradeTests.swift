#if PostgreSQL
  import Foundation
  import GemLedger
  import GemLedgerAudit
  import GemLedgerPostgres
  import GemTestSupport
  import PostgresTestSupport
  import XCTest

  /// What opening a ledger leaves as it is.
  final class UpgradeTests: XCTestCase {
    /// Sums of a lane that were taken away are missed: no opening counts what is there now as if it were right.
    func testSumsThatWereTakenAwayStayMissing() throws {
      let server = try PostgresServer()
      let url = try server.createDatabase()
      let ledger = try Ledger.createPostgres(at: url)
      try ledger.apply(Make.catalog())
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
      ledger.close()
      try server.execute("UPDATE gemledger.lanes SET sums = NULL WHERE lane = 0", on: url)
      for round in 0..<2 {
        let ledger = try Ledger.openPostgres(at: url)
        try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("bob\(round)"))
        XCTAssertEqual(
          try ledger.verify().problems.map(\.description), ["records_are_complete: the sums of all rows are missing"])
        ledger.close()
      }
    }

    /// A role that was given the ledger has what it needs of the new tables too, and no more.
    func testRolesKeepTheirRights() throws {
      let server = try PostgresServer()
      let superuser = try XCTUnwrap(server.superuserURL())
      try server.execute("CREATE ROLE \"gem service\" LOGIN PASSWORD 'service'", on: superuser)
      let url = try server.createDatabase()
      try Ledger.createPostgres(at: url).close()
      for statement in [
        "DROP TABLE gemledger.effects, gemledger.holds, gemledger.counts",
        "ALTER TABLE gemledger.accounts DROP COLUMN next_due", "ALTER TABLE gemledger.lot_terms DROP COLUMN origin",
        "ALTER TABLE gemledger.customers DROP COLUMN erased",
        "CREATE TABLE gemledger.refund_states (purchase bigint)",
        """
        ALTER TABLE gemledger.refunds DROP COLUMN evidence_at, DROP COLUMN extent_kind, DROP COLUMN extent,
          DROP COLUMN lot, DROP COLUMN part_kind, DROP COLUMN source_lot, DROP COLUMN amount
        """,
        """
        ALTER TABLE gemledger.purchases DROP COLUMN grant_currency, DROP COLUMN grant_lot, DROP COLUMN grant_amount
        """,
        "ALTER TABLE gemledger.transactions DROP COLUMN digest, DROP COLUMN erasable",
        "ALTER TABLE gemledger.lanes DROP COLUMN sums",
        "DELETE FROM gemledger.migrations WHERE name > '0002'",
        "GRANT USAGE ON SCHEMA gemledger TO \"gem service\"",
        "GRANT SELECT, INSERT ON gemledger.entries TO \"gem service\"",
      ] { try server.execute(statement, on: url) }
      try Ledger.openPostgres(at: url).close()
      var parts = try XCTUnwrap(URLComponents(string: url))
      parts.user = "gem service"
      parts.password = "service"
      let service = try XCTUnwrap(parts.string)
      for allowed in [
        "INSERT INTO gemledger.holds VALUES (1, 2, 3)", "DELETE FROM gemledger.holds", "DELETE FROM gemledger.counts",
        "SELECT count(*) FROM gemledger.effects", "DELETE FROM gemledger.keys WHERE false",
      ] { XCTAssertNoThrow(try server.execute(allowed, on: service), allowed) }
      for refused in ["DELETE FROM gemledger.effects", "UPDATE gemledger.keys SET asked = 1"] {
        XCTAssertThrowsError(try server.execute(refused, on: service)) {
          XCTAssertTrue("\($0)".contains("permission denied"), "\($0)")
        }
      }
    }
  }
#endif
