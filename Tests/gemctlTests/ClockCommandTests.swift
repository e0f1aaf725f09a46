import XCTest

/// `clock` and `clock advance`: renewals, expiries and deadlines at their own times.
final class ClockCommandTests: XCTestCase {
  private static let catalog = #"""
    {"currencies":[{"code":"GEM","name":"Gems"}],
     "products":[{"code":"club","store_ids":{"apple":"club","google":"club"},"type":"auto_renewable_subscription",
      "period":"P1M","localizations":[{"locale":"en_US","title":"Club"}],"prices":{"USA":"4.99"},
      "grants":[{"currency":"GEM","amount":100,"expires_at_cycle_end":true}],"entitlement":"premium"}]}
    """#

  private func home() throws -> TestHome {
    let home = try TestHome()
    try home.write(Self.catalog, to: "catalog.json")
    XCTAssertEqual(try home.raw("gemctl init catalog.json > /dev/null").status, 0)
    return home
  }

  func testASubscriptionRenewsOnTheWayAndItsGrantExpires() throws {
    let home = try home()
    let balance = "gemctl balance GEM --customer alice --json | grep -o '\"balance\":[0-9]*'"
    let kinds =
      "gemctl history --customer alice --json | grep -o '\"entries\":[^]]*' | grep -o '\"kind\":\"[a-z]*\"' | sort "
      + "| uniq -c | tr -s ' '"
    try Row.check(
      [
        Row("gemctl clock | grep -c \"the machine's time\"", output: "1\n"),
        Row("gemctl buy club --customer alice > /dev/null"), Row(balance, output: "\"balance\":100\n"),
        Row(
          "gemctl clock advance 62d --customer alice --json > moved; grep -o '\"ahead_seconds\":[0-9]*' moved",
          output: "\"ahead_seconds\":5356800\n"),
        Row("grep -o '\"state\":\"purchased\"' moved | wc -l | tr -d ' '", output: "2\n"),
        // The grants of the two cycles before have expired.
        Row(balance, output: "\"balance\":100\n"),
        Row(kinds, output: " 2 \"kind\":\"expiry\"\n 3 \"kind\":\"purchase\"\n"),
        Row("gemctl clock | grep -c '62d ahead'", output: "1\n"),
        Row("gemctl verify > /dev/null"),
        Row("gemctl clock advance 1d --customer alice > /dev/null; gemctl clock | grep -c '63d ahead'", output: "1\n"),
      ], in: home, errorsBegin: true)
    // Each renewal is credited at its own time, and not at the end of the way.
    let days = try home.run(
      "gemctl history --customer alice --json | grep -o '\"kind\":\"purchase\",\"created_at\":\"[0-9-]*' | sort -u "
        + "| wc -l | tr -d ' '"
    ).output
    XCTAssertEqual(days, "3\n")
  }

  func testADeadlineIsMetAndAHoldEnds() throws {
    let home = try home()
    try Row.check(
      [
        Row("gemctl grant GEM=80 --reason test --customer alice > /dev/null"),
        Row("gemctl hold GEM=50 --for 15m --customer alice > /dev/null"),
        Row(
          "gemctl balance GEM --customer alice --json | grep -o '\"available\":[0-9]*'", output: "\"available\":30\n"),
        Row("gemctl clock advance 1h > said; grep -c 'due for 1 customer' said", output: "1\n"),
        Row(
          "gemctl balance GEM --customer alice --json | grep -o '\"available\":[0-9]*'", output: "\"available\":80\n"),
      ], in: home)
  }

  /// A clock that far from the newest transaction is refused where nobody moved it on purpose.
  func testYearsWithoutATransactionStopNoBooking() throws {
    let home = try home()
    let advance = Row("gemctl clock advance 366d > /dev/null")
    try Row.check(
      [
        Row("gemctl grant GEM=80 --reason test --customer alice > /dev/null"), advance, advance, advance,
        Row("gemctl spend GEM=30 --customer alice > /dev/null"),
        Row("gemctl verify > /dev/null"),
      ], in: home)
  }

  func testOnlyAHomesOwnClockMovesAndOnlyAhead() throws {
    let home = try home()
    try Row.check(
      [
        Row("gemctl clock advance", 64, error: "error: \"clock advance\" needs TIME.\n"),
        Row("gemctl clock advance 367d", 64, error: "error: TIME is a length of time up to 366d"),
        Row("gemctl clock advance -- -5m", 64, error: "error: TIME is a length of time up to 366d"),
        Row("gemctl --storage memory: clock advance 1h", 64, error: "error: Only the home's ledger has a clock"),
        Row("gemctl clock advance 1m > /dev/null; echo x >> .gemctl/clock"),
        Row("gemctl balance --customer alice", 74, error: "error: \".gemctl/clock\" cannot be understood"),
      ], in: home, errorsBegin: true)
  }

  /// A shop with a fast rate is stopped on the way, and the same command goes on.
  func testAVeryLongWayIsWalkedInParts() throws {
    let home = try home()
    try Row.check(
      [
        Row("gemctl store settings time-rate period=2s > /dev/null; gemctl buy club --customer alice > /dev/null"),
        Row(
          "gemctl clock advance 1h --customer alice | tail -1",
          output: "Stopped after 500 effects; run it again to continue.\n"),
        Row("gemctl verify > /dev/null"),
      ], in: home)
  }
}
