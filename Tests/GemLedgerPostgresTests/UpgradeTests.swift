#if PostgreSQL
  import Foundation
  import GemLedger
  import GemLedgerPostgres
  import GemTestSupport
  import PostgresTestSupport
  import XCTest

  /// A ledger of an earlier version goes on with this one.
  final class UpgradeTests: XCTestCase {
    private let time = ManualClock()

    /// A ledger that an earlier version left, with what the given steps make and what a random run and some rare
    /// commands put into it.
    private func old(_ steps: Int, _ url: String) throws -> LedgerState {
      let server = try PostgresServer.shared()
      let newURL = "\(url)?schema=new"
      var model = try ModelContract(dice: SeededDice(), hasManyLanes: true) {
        try Ledger.createPostgres(at: newURL, clock: $0, salt: 1)
      }
      _ = try model.run(200)
      let ledger = try Ledger.openPostgres(at: newURL, clock: time.clock)
      let (zoe, yan) = (try Make.customer("zoe"), try Make.customer("yan"))
      try ledger.creditPurchase(Make.purchase("t"), customer: zoe, key: Make.key("k"))
      try ledger.creditPurchase(Make.purchase("u"), customer: yan)
      try ledger.merge(from: yan, into: zoe)
      try ledger.creditPurchase(Make.purchase("v"), customer: zoe)
      try ledger.refund(Make.refund("v"))
      if steps > 1 {
        for _ in 0..<3 { try ledger.hold([Make.amount("GEM", 10)], customer: zoe, for: .seconds(86_400)) }
      }
      let state = try LedgerState(ledger)
      ledger.close()
      // The tables as they were then, filled with what they had room for.
      try server.execute("CREATE SCHEMA old", on: url)
      var script = ["SET search_path = old"]
      script.append("CREATE TABLE migrations (name text COLLATE \"C\" PRIMARY KEY, applied_at bigint NOT NULL)")
      for step in PostgresMigration.all.prefix(steps) {
        script += step.sql + ["INSERT INTO migrations VALUES ('\(step.name)', 1)"]
      }
      try server.execute(script.joined(separator: ";\n"), on: url)
      let hasOldRefunds = steps < 3
      let apart = ["migrations"] + (hasOldRefunds ? ["refund_states", "refund_parts", "refund_evidence"] : [])
      let columns = try server.execute(
        """
        SELECT format('INSERT INTO old.%I (%s) SELECT %2$s FROM new.%1$I', table_name,
          string_agg(quote_ident(column_name), ', '))
        FROM information_schema.columns
        WHERE table_schema = 'old' AND table_name NOT IN (\(apart.map { "'\($0)'" }.joined(separator: ", ")))
        GROUP BY table_name
        """, on: url)
      try server.execute((columns + (hasOldRefunds ? Self.oldRefunds : [])).joined(separator: ";\n"), on: url)
      return state
    }

    /// What refunds say in one row each had tables of its own.
    private static let oldRefunds = [
      """
      INSERT INTO old.refund_states
        SELECT DISTINCT ON (purchase) customer, purchase, share, share_of, coalesce(evidence_at, signed_at),
          transaction_number
        FROM new.refunds ORDER BY purchase, transaction_number DESC
      """,
      """
      INSERT INTO old.refund_parts
        SELECT * FROM new.refund_parts UNION ALL
        SELECT customer, transaction_number, 1, lot, part_kind, source_lot, amount FROM new.refunds
        WHERE lot IS NOT NULL
      """,
      """
      INSERT INTO old.refund_evidence
        SELECT DISTINCT ON (store_transaction, environment, store, kind, revoked_at) * FROM (
          SELECT * FROM new.refund_evidence UNION ALL
          SELECT store_transaction, environment, store, kind, revoked_at, signed_at, extent_kind, extent
          FROM new.refunds JOIN new.purchases USING (customer, purchase) WHERE extent_kind IS NOT NULL
        ) notices ORDER BY store_transaction, environment, store, kind, revoked_at, signed_at DESC
      """,
    ]

    func testALedgerOfEachEarlierStepGoesOn() throws {
      for steps in 1..<PostgresMigration.all.count {
        let url = try PostgresServer.shared().createDatabase()
        let before = try old(steps, url)
        let layouts = "SELECT max(layout) FROM old.lanes"
        let layout = try PostgresServer.shared().execute(layouts, on: url)
        let ledger = try Ledger.openPostgres(at: "\(url)?schema=old", clock: time.clock)
        XCTAssertEqual(try LedgerState(ledger), before)
        // Processes of the earlier version that have it open book nothing any more.
        XCTAssertNotEqual(try PostgresServer.shared().execute(layouts, on: url), layout)
        let zoe = try Make.customer("zoe")
        XCTAssertTrue(try ledger.creditPurchase(Make.purchase("t"), customer: zoe, key: Make.key("k")).isReplayed)
        let holds = try ledger.holds(of: zoe).map(\.id)
        XCTAssertEqual(holds.count, steps > 1 ? 3 : 0)
        if steps > 1 {
          try ledger.capture(holds[0], amounts: [Make.amount("GEM", 4)], keepsOpen: true)
          try ledger.extend(holds[1], for: .seconds(172_800))
          for hold in holds { try ledger.release(hold) }
        }
        try ledger.spend([Make.amount("GEM", 1300)], customer: zoe)
        XCTAssertTrue(try ledger.refund(Make.refund("v")).isReplayed)
        XCTAssertEqual(try ledger.reverseRefund(Make.reversal("v", signedAt: 1_000_000)).entries.map(\.amount), [1200])
        XCTAssertEqual(try ledger.refund(Make.refund("u")).entries.map(\.kind), [.refund])
        try assertBooksAddUp(ledger)
        ledger.close()
        // It is what a new one is.
        let shapes = try ["old", "new"].map { schema in
          try PostgresServer.shared().execute(
            """
            SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' '
              || coalesce(column_default, '') || ' ' || coalesce(collation_name, '')
            FROM information_schema.columns WHERE table_schema = '\(schema)' ORDER BY 1
            """, on: url)
        }
        XCTAssertEqual(shapes[0], shapes[1])
      }
    }

    /// Several services are started anew at the same moment: one brings the schema up to date, and all go on.
    func testTenOpenItAtOnce() throws {
      let url = try PostgresServer.shared().createDatabase()
      _ = try old(1, url)
      let group = DispatchGroup()
      for number in 0..<10 {
        DispatchQueue(label: "\(number)").async(group: group) {
          do {
            let ledger = try Ledger.openPostgres(at: "\(url)?schema=old")
            try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("of all"))
            ledger.close()
          } catch { XCTFail("\(error)") }
        }
      }
      group.wait()
      let ledger = try Ledger.openPostgres(at: "\(url)?schema=old", clock: time.clock)
      XCTAssertEqual(
        try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("of all")).balance, 10)
      let before = try Ledger.openPostgres(at: "\(url)?schema=new", clock: time.clock)
      XCTAssertEqual(try ledger.verify().transactions, try before.verify().transactions + 10)
      before.close()
      try assertBooksAddUp(ledger)
      ledger.close()
    }

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
