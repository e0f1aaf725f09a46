#if PostgreSQL
import Foundation
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// A ledger is made all or nothing, wherever its making fails: it can be made again, or it is there.
final class InterruptedCreationTests: XCTestCase {
  private let project = ProjectRow(salt: 7, createdAt: Timestamp(milliseconds: 0))

  private func create(_ url: String, waiting: Duration = .seconds(30)) throws -> Ledger {
    Ledger(
      storage: try PostgresStorage.create(
        url: url, project: project, recovery: PostgresRecovery(retryPolicy: waiting)))
  }

  /// Each statement that changes the schema is refused once, by a trigger of the database.
  func testEachStatementOfTheSchemaMayFail() throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    let superuser = server.superuserURL(database: String(url.split(separator: "/").last ?? ""))
    try server.execute(
      """
      CREATE SEQUENCE public.asked; CREATE TABLE public.refused (number bigint);
      GRANT ALL ON SEQUENCE public.asked TO PUBLIC; GRANT SELECT ON public.refused TO PUBLIC;
      CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('public.asked') = (SELECT number FROM public.refused) THEN RAISE EXCEPTION 'refused'; END IF;
      END $$;
      CREATE EVENT TRIGGER refuses ON ddl_command_start EXECUTE FUNCTION public.refuse();
      """, on: superuser)
    let restart = "TRUNCATE public.refused; SELECT setval('public.asked', 1, false)"
    try server.execute(restart, on: superuser)
    try create(url + "?schema=whole").close()
    let count = try Int(XCTUnwrap(server.execute("SELECT last_value FROM public.asked", on: url).first)) ?? 0
    XCTAssertGreaterThan(count, 50)
    for number in 1...count {
      try server.execute("\(restart); INSERT INTO public.refused VALUES (\(number))", on: superuser)
      XCTAssertThrowsError(try create(url), "\(number)")
      let left = try server.execute("SELECT nspname FROM pg_namespace WHERE nspname = 'gemledger'", on: url)
      XCTAssertEqual(left, [], "\(number)")
    }
    try server.execute(restart, on: superuser)
    let ledger = try create(url)
    try ledger.apply(Make.catalog())
    try assertBooksAddUp(ledger)
    ledger.close()
    server.remove()
  }

  /// The connection is lost at each round trip, before it reaches the server or before its answer arrives.
  func testTheConnectionMayBeLostAtEachRoundTrip() throws {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    let proxy = try CuttingProxy(before: url)
    for cut in [CuttingProxy.Cut.beforeCommit, .afterCommit] {
      var (number, made, failed) = (0, 0, 0)
      while true {
        number += 1
        let schema = "at_\(number)_\(cut == .afterCommit ? "after" : "before")"
        proxy.arm(cut, atRoundTrip: number)
        let first = Result { try create("\(proxy.url)&schema=\(schema)") }
        let isOver = proxy.disarm()
        if case .success = first { made += 1 } else { failed += 1 }
        let ledger = try (try? first.get()) ?? create("\(url)?schema=\(schema)")
        try ledger.apply(Make.catalog())
        try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
        try assertBooksAddUp(ledger)
        ledger.close()
        assertRefused(.alreadyExists) { try create("\(url)?schema=\(schema)") }
        if isOver { break }
      }
      print("cut \(cut): \(number - 1) round trips; \(failed) attempts failed, \(made) went on")
      XCTAssertGreaterThan(failed, 3)
      XCTAssertGreaterThan(made, 1)
    }
    proxy.close()
  }

  /// The server stays away after a round trip: the ledger can be made again, or the error says that it may be there.
  func testTheServerMayStayAwayAfterEachRoundTrip() throws {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    let proxy = try CuttingProxy(before: url)
    var (number, unknown) = (0, 0)
    while true {
      number += 1
      proxy.arm(.afterCommit, atRoundTrip: number, refusesThen: true)
      do {
        try create("\(proxy.url)&schema=away_\(number)", waiting: .milliseconds(50)).close()
        guard !proxy.disarm() else { break }
      } catch let error as LedgerError {
        _ = proxy.disarm()
        if error.code == .outcomeUnknown {
          unknown += 1
          let again = Result { try create("\(url)?schema=away_\(number)") }
          if case .failure(let error as LedgerError) = again { XCTAssertEqual(error.code, .alreadyExists, "\(number)") }
          try? again.get().close()
        } else {
          XCTAssertEqual(error.code, .storageUnavailable, "\(number)")
          try create("\(url)?schema=away_\(number)").close()
        }
      }
      let ledger = try Ledger.openPostgres(at: "\(url)?schema=away_\(number)")
      try assertBooksAddUp(ledger)
      ledger.close()
    }
    XCTAssertGreaterThan(unknown, 0)
    proxy.close()
  }
}
#endif
