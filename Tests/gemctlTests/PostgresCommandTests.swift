import Foundation
import PostgresTestSupport
import XCTest

/// `--storage postgres://…`: the same verbs, over a database.
final class PostgresCommandTests: XCTestCase {
  #if PostgreSQL
  /// A database of its own, as the scripts name it.
  private func makeHome() throws -> (home: TestHome, url: String) {
    (try TestHome(), try PostgresServer.shared().createDatabase())
  }

  func testTheWholeStoryRunsOverADatabase() throws {
    let (home, url) = try makeHome()
    let before = "export GEMCTL_STORAGE='\(url)?schema=shop'; "
    try Row.check(
      [
        Row("gemctl --storage '\(url)' balance --customer a 2>&1 | grep -c 'gemctl init'", output: "1\n"),
        Row(
          before + "gemctl init | head -1",
          output: "Made the home .gemctl with 1 currency, 3 products, 1 offering and 2 items.\n"),
        Row(before + "gemctl --home other init 2>&1 | grep -c -- 'init --join'", output: "1\n"),
        Row(
          before + "gemctl --home other init --join | head -1",
          output: "Made the home other with 1 currency, 3 products, 1 offering and 2 items.\n"),
        Row(before + "gemctl --home other init --join", 2, error: "error: "),
        Row(before + "gemctl --home third init --join catalog.json", 64, error: "error: "),
        Row("gemctl --home third init --join", 64, error: "error: "),
        Row(
          before + "gemctl --home other buy gems_300 --customer carol --json | cut -c1-19",
          output: "{\"result\":\"success\"\n"),
        Row(
          before + "gemctl buy gems_1200 --customer alice --json | cut -c1-19",
          output: "{\"result\":\"success\"\n"),
        Row(before + "gemctl spend GEM=50 --customer alice --key k --json | grep -c GEM", output: "1\n"),
        Row(
          before + "gemctl spend GEM=50 --customer alice --key k --json | grep -c '\"replayed\":true'",
          output: "1\n"),
        Row(before + "gemctl grant GEM=5 --reason thanks --customer bob | wc -l", output: "4\n"),
        Row(before + "gemctl balance GEM --customer alice --json | grep -c '\"balance\":1150'", output: "1\n"),
        Row(before + "gemctl merge --from bob --into alice --json | grep -c transaction_id", output: "1\n"),
        Row(before + "gemctl balance GEM --customer bob --json | grep -c '\"balance\":1155'", output: "1\n"),
        Row(before + "gemctl freeze --reason chargebacks --customer alice > /dev/null"),
        Row(before + "gemctl spend GEM=1 --customer alice", 2, error: "error: "),
        Row(before + "gemctl unfreeze --reason resolved --customer alice > /dev/null"),
        Row(
          before + "id=$(gemctl store list --json | grep -o '[0-9]\\{16\\}' | head -1); "
            + "gemctl store refund $id > /dev/null && "
            + "gemctl balance GEM --customer alice --json | grep -c '\"balance\":0'", output: "1\n"),
        Row(before + "gemctl history --customer alice --json | grep -c '\"kind\":\"merge\"'", output: "1\n"),
        Row(before + "gemctl customers --json | grep -o '\"customer_id\":\"alice' | wc -l", output: "1\n"),
        Row(
          before + "gemctl orders > /dev/null; gemctl queue > /dev/null; "
            + "gemctl sync > /dev/null; gemctl restore > /dev/null"),
        Row(
          before + "gemctl catalog show --json > c.json && gemctl catalog apply c.json | head -1",
          output: "Nothing changes: the catalog is in force as it is.\n"),
        Row(before + "gemctl verify --json | cut -c1-10", output: "{\"ok\":true\n"),
        Row("ls .gemctl | grep -v authority.pem | tr '\\n' ' '", output: "client.log home.json store.log "),
      ], in: home, errorsBegin: true)
  }

  func testADistributedLedgerStatesTheReasonForItsLanes() throws {
    let (server, home) = (try PostgresServer(), try TestHome())
    let (asked, chosen) = (try server.createDatabase(), try server.createDatabase())
    for url in [asked, chosen] {
      try server.standInForAnEngine(in: url)
      let superuser = try XCTUnwrap(server.superuserURL(database: String(url.split(separator: "/").last ?? "")))
      try server.execute("INSERT INTO pg_dist_node (nodename) VALUES ('one'), ('two'), ('three')", on: superuser)
    }
    let restart = "restart the services that have it open."
    try Row.check(
      [
        Row("gemctl --storage '\(asked)' init > /dev/null; gemctl --storage '\(chosen)' --home other init > /dev/null"),
        Row(
          "gemctl --storage '\(asked)' storage distribute --shards 8",
          output: "The ledger has 8 lanes now; \(restart)\n"),
        Row(
          "gemctl --storage '\(chosen)' storage distribute",
          output: """
            The ledger has 6 lanes now; \(restart)
            The number results from 3 nodes with shards. More lanes leave each group with fewer commands; to choose \
            another number, use --shards.

            """),
        Row(
          "gemctl --storage '\(chosen)' storage distribute --json",
          output: #"{"lanes":6,"changed":false,"function_created":false,"function_problem":null,"#
            + #""nodes":null,"leftovers":[]}"# + "\n"),
      ], in: home)
    // As if an earlier version had distributed it.
    let function = try XCTUnwrap(server.bodiesOfWriteFunctions(in: chosen).keys.first)
    try server.execute("DROP FUNCTION gemledger.\(function)", on: chosen)
    try Row.check(
      [
        Row(
          "gemctl --storage '\(chosen)' --home other storage distribute",
          output: """
            The ledger has 6 lanes already. The function that writes the rows of a group was created; \(restart)

            """)
      ], in: home)
  }

  func testTheEconomyRunsOverADatabase() throws {
    let (home, url) = try makeHome()
    let before = "export GEMCTL_STORAGE='\(url)?schema=shop' GEMCTL_CUSTOMER=alice; "
    let id = "grep -o '[0-9a-f-]\\{36\\}' | head -1"
    try home.write(
      #"{"payer": "alice", "legs": [{"transfer": {"GEM": 5}, "from": "alice", "to": "bob"}, "#
        + #"{"item": "extra_life", "quantity": 1, "from": "alice", "to": "bob"}]}"#, to: "gift.json")
    try Row.check(
      [
        Row(before + "gemctl init > /dev/null; gemctl buy gems_1200 > /dev/null"),
        Row(before + "gemctl grant GEM=1 --reason welcome --customer bob > /dev/null"),
        Row(before + "gemctl hold GEM=100 --key h --json | \(id) > hold"),
        Row(before + "gemctl hold GEM=100 --key h --json | grep -c '\"replayed\":true'", output: "1\n"),
        Row(
          before + "gemctl extend $(cat hold) --for 1h | cut -d' ' -f1-5 | head -1",
          output: "Holds 100 GEM on until\n"),
        Row(before + "gemctl holds --json | grep -c '\"amounts\":{\"GEM\":100}'", output: "1\n"),
        Row(before + "gemctl capture $(cat hold) GEM=60 --keep-open --json | \(id) > capture"),
        Row(before + "gemctl capture $(cat hold) GEM=41", 2, error: "error: The hold has 40 GEM left"),
        Row(before + "gemctl release $(cat hold) > /dev/null"),
        Row(before + "gemctl release $(cat hold)", 2, error: "error: The hold "),
        Row(before + "gemctl reverse $(cat capture) GEM=10 | grep -c reversal", output: "1\n"),
        Row(before + "gemctl reverse $(cat capture) | grep -c reversal", output: "1\n"),
        Row(before + "gemctl reverse $(cat capture)", 2, error: "error: All that the transaction "),
        Row(before + "gemctl transfer GEM=20 --from alice --to bob | grep -c transfer", output: "2\n"),
        Row(before + "gemctl spend --item extra_life > /dev/null; gemctl basket gift.json --key g > /dev/null"),
        Row(before + "gemctl basket gift.json --key g | tail -1 | cut -d: -f1", output: "replayed\n"),
        Row(before + "gemctl balance --json | grep -c '\"balance\":1125,\"held\":0'", output: "1\n"),
        Row(before + "gemctl balance --json --customer bob | grep -c '\"balance\":26,'", output: "1\n"),
        Row(
          before + "gemctl erase --customer bob > /dev/null; gemctl holds --customer bob", 5,
          error: "error: There is no"),
        Row(before + "gemctl sweep > /dev/null; gemctl verify --json | cut -c1-10", output: "{\"ok\":true\n"),
      ], in: home, errorsBegin: true)
  }

  /// `init` over PgBouncer with transaction pooling names the remedy; over the server itself it then makes the home.
  func testInitOverAPoolerThatSharesSessions() throws {
    let home = try TestHome()
    let server = try PostgresServer()
    let url = try server.createDatabase()
    let pooled = try server.pooler(before: url, "pool_mode=transaction")
    for _ in 0..<2 {
      let answer = try home.raw("gemctl --storage '\(pooled)' init")
      XCTAssertEqual(answer.status, 69, answer.error)
      XCTAssertTrue(answer.error.contains("Set pool_mode=session"), answer.error)
    }
    let answer = try home.raw("gemctl --storage '\(url)' init")
    XCTAssertEqual(answer.status, 0, answer.error)
    server.remove()
  }

  func testSaysWhatToDoAboutAServerAndKeepsThePassword() throws {
    let (home, url) = try makeHome()
    let parts = try XCTUnwrap(URLComponents(string: url))
    let (host, port) = (try XCTUnwrap(parts.host), try XCTUnwrap(parts.port))
    let cases: [(line: UInt, url: String, status: Int32, says: String)] = [
      (#line, "postgres://gem:secret@\(host):\(port)/postgres", 69, "Check user, password"),
      (#line, url.replacing(/\/[^\/]*$/, with: "/nowhere"), 69, "Create the database"),
      (#line, "\(url)?sslmode=require", 69, "sslmode"),
      (#line, "postgres://gem:secret@127.0.0.1:1/postgres", 69, "cannot be reached"),
      (#line, url, 74, "gemctl init"),
      (#line, "postgres://gem:se@cr/et@\(host)/postgres", 64, "%"),
      (#line, "postgres://gem:secret/x@\(host)/postgres", 64, "%"),
      (#line, "postgres://gem:%zzsecret@\(host)/postgres", 64, "%"),
      (#line, "\(url)?schema=Secret", 64, "schema="),
    ]
    for row in cases {
      let answer = try home.raw("export GEMCTL_STORAGE='\(row.url)'; gemctl balance --customer alice")
      XCTAssertEqual(answer.status, row.status, answer.error, line: row.line)
      XCTAssertTrue(answer.error.contains(row.says), answer.error, line: row.line)
      XCTAssertFalse(answer.error.contains("secret") || answer.error.contains("se@cr"), answer.error, line: row.line)
      if let password = parts.password {
        XCTAssertFalse(answer.error.contains(password), answer.error, line: row.line)
      }
    }
  }
  #else
  func testABuildWithoutPostgreSQLSaysHowToGetOne() throws {
    let answer = try TestHome().raw("gemctl --storage postgres://me:secret@host/db balance")
    XCTAssertEqual(answer.status, 64)
    XCTAssertTrue(answer.error.contains("--traits PostgreSQL"), answer.error)
    XCTAssertFalse(answer.error.contains("secret"), answer.error)
  }
  #endif

  func testDoesNotPrintWhatMayHoldAPassword() throws {
    let answer = try TestHome().raw("gemctl --storage mysql://me:secret@host/db balance")
    XCTAssertEqual(answer.status, 64)
    XCTAssertFalse(answer.error.contains("secret"), answer.error)
  }
}
