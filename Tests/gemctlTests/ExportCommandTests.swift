import GemTestSupport
import XCTest

/// `export` and `import` of the built binary.
final class ExportCommandTests: XCTestCase {
  private func shop() throws -> TestHome {
    let home = try TestHome()
    let answer = try home.run(
      """
      gemctl init && gemctl buy gems_1200 --customer alice && gemctl spend GEM=50 --customer alice --key k1 \\
      && gemctl export --output base.jsonl --json > base.json
      """)
    XCTAssertEqual(answer.status, 0, answer.error)
    return home
  }

  private let cursor = #"cursor=$(grep -o '"cursor":"[^"]*' base.json | cut -d '"' -f 4); "#

  func testWhatIsExportedIsTheSameLedgerElsewhere() throws {
    let answer = try shop().run(
      cursor + """
        gemctl spend GEM=1 --customer alice --key k2 > /dev/null
        gemctl export --after $cursor > more.jsonl
        gemctl export > whole.jsonl
        export GEMCTL_STORAGE=sqlite:new.sqlite
        gemctl import base.jsonl && gemctl import - < more.jsonl
        gemctl export | cmp - whole.jsonl && gemctl balance GEM --customer alice --json
        gemctl spend GEM=1 --customer alice --key k2 --json | grep -o '"replayed":true'
        gemctl import more.jsonl; echo $?
        """)
    XCTAssertEqual(
      answer.output.split(separator: "\n").map { $0.prefix(40) },
      [
        "Imported 2 transactions, and the books a", "Imported 1 transactions, and the books a",
        #"{"customer_id":"alice","virtual_currenci"#, #""replayed":true"#, "65",
      ])
    XCTAssertTrue(answer.error.hasPrefix("error: The export continues after 2 transactions"), answer.error)
  }

  func testAHomeCanBeMadeOfAnExport() throws {
    let answer = try shop().run(
      "gemctl --home other import base.jsonl > /dev/null && gemctl --home other balance GEM --customer alice --json")
    XCTAssertTrue(answer.output.contains(#""balance":1150"#), answer.output + answer.error)
  }

  /// An export that is ended leaves nothing under its name, and the next one is not in its way.
  func testAnEndedExportIsNoExport() throws {
    let answer = try shop().run(
      """
      printf 'a part' > part.jsonl.unfinished
      gemctl export --output part.jsonl > /dev/null; echo $?
      cmp part.jsonl base.jsonl && ls | grep -c unfinished
      ulimit -f 1; trap '' XFSZ; gemctl export --output short.jsonl 2> /dev/null; echo $?; ls | grep -c short
      """)
    XCTAssertEqual(answer.output, "0\n0\n74\n0\n", answer.error)
  }

  func testADamagedExportLeavesNothingBehind() throws {
    let answer = try shop().run(
      """
      head -n 4 base.jsonl > cut.jsonl
      gemctl --storage sqlite:new.sqlite import cut.jsonl; echo $?; ls | grep -c new.sqlite
      gemctl --storage sqlite:new.sqlite import base.jsonl --dry-run; ls | grep -c new.sqlite
      gemctl export --output base.jsonl; echo $?
      gemctl export --after nonsense > /dev/null; echo $?
      """)
    XCTAssertEqual(
      answer.output,
      "65\n0\nThe export is correct: 2 transactions; nothing was written.\n0\n2\n64\n")
    XCTAssertTrue(answer.error.contains("The export is truncated: its last line is missing."), answer.error)
  }

  /// The lines are whole and their checksum is right, so that the fault shows once the import writes.
  func testARefusedExportMakesRoomForAGoodOne() throws {
    let home = try shop()
    let lines = try home.raw("cat base.jsonl").output.split(separator: "\n").map(String.init)
    let forged = ForgedExport.text(of: lines) { lines in
      lines.map { $0.replacing("\"balance\":1150", with: "\"balance\":1151") }
    }
    try home.write(String(decoding: forged, as: UTF8.self), to: "bad.jsonl")
    for (position, name) in [("--storage sqlite:first.sqlite", "first"), ("--home second", "second")] {
      let answer = try home.run(
        """
        gemctl \(position) import bad.jsonl; echo $?; ls | grep -c \(name)
        gemctl \(position) import base.jsonl && gemctl \(position) balance GEM --customer alice --json
        """)
      XCTAssertTrue(answer.output.hasPrefix("65\n0\nImported 2 transactions"), answer.output + answer.error)
      XCTAssertTrue(answer.output.contains("\"balance\":1150"), answer.output)
      XCTAssertTrue(answer.error.hasPrefix("error: The export contradicts itself. Line "), answer.error)
      XCTAssertTrue(answer.error.contains("leaves balance 1151"), answer.error)
    }
  }

  func testTakesOverBalances() throws {
    let home = try TestHome()
    try home.write("customer_id,currency,amount\nalice,GEM,5\nbob,GEM,7\n", to: "balances.csv")
    try home.write("customer_id,currency,amount\nalice,GEM,-5\nbob,GEM,7.0\n", to: "bad.csv")
    try Row.check(
      [
        Row("gemctl init > /dev/null"),
        Row(
          "gemctl import balances.csv --format csv --dry-run", output: "Would book 2 lines.\n  +12 GEM\n"),
        Row("gemctl import balances.csv --format csv", output: "Booked 2 lines.\n  +12 GEM\n"),
        Row(
          "gemctl import balances.csv --format csv --json",
          output: "{\"booked\":0,\"replayed\":2,\"without_change\":0,\"amounts\":{}}\n"),
        Row(
          "gemctl import bad.csv --format csv", 65,
          error: """
            error: The file has 2 problems; nothing was imported:
            Line 2: The amount "-5" is not plain digits, such as 1200.
            Line 3: The amount "7.0" is not plain digits, such as 1200.

            """),
        Row("gemctl import missing.csv --format csv > /dev/null 2>&1", 74),
        Row("gemctl verify > /dev/null"),
      ], in: home)
  }

  func testTakesOverANakamaWallet() throws {
    let home = try TestHome()
    try home.write(
      #"{"id":"1","user_id":"alice","changeset":{"gems":9},"metadata":{},"create_time":1714640400}"# + "\n",
      to: "wallets.jsonl")
    try Row.check(
      [
        Row("gemctl init > /dev/null"),
        Row(
          "gemctl import wallets.jsonl --format nakama --map gems=GEM", output: "Booked 1 line.\n  +9 GEM\n"),
        Row("gemctl import wallets.jsonl --format nakama --map gems > /dev/null 2>&1", 64),
      ], in: home)
  }
}
