import Foundation
import GemLedger
import XCTest

@testable import gemctl

/// The directories that `init` takes for an unfinished home, and those that it leaves alone.
final class InitHomeTests: XCTestCase {
  private let inUse = "error: The home \"mine\" is in use already. Name another one with --home.\n"

  func testSomebodysFilesAreLeftAlone() throws {
    // A ledger without its home.json is in use too; so is a directory that only looks unfinished.
    let rows = [
      "touch mine/letter", "echo precious > mine/ledger.sqlite", "touch mine/home.json",
      "touch mine/home.json.unfinished mine/letter", "mkdir mine/sub", "touch mine/client.log",
    ]
    for row in rows {
      let home = try TestHome()
      try Row.check(
        [
          Row("mkdir -m 750 mine; \(row); ls -lAR mine > before"),
          Row("gemctl --home mine init", 2, error: inUse),
          Row("ls -lAR mine | diff - before && ls -ld mine | cut -c1-10", output: "drwxr-x---\n"),
        ], in: home)
    }
  }

  func testALinkToAnEmptyDirectoryStaysALink() throws {
    try Row.check(
      [
        Row("mkdir -p real/home; ln -s real/home mine; gemctl --home mine init > /dev/null"),
        Row("ls real/home; readlink mine", output: "home.json\nledger.sqlite\nreal/home\n"),
        Row("gemctl --home real/home customers --json | grep -o customer_id | wc -l", output: "1\n"),
        Row("ln -s nowhere lost; gemctl --home lost init > /dev/null 2>&1", 74),
        Row("ls -A", output: "lost\nmine\nreal\n"),
      ], in: TestHome())
  }

  func testTheWorkingDirectoryCanBeAHome() throws {
    try Row.check(
      [Row("mkdir here; cd here; gemctl --home . init > /dev/null; ls", output: "home.json\nledger.sqlite\n")],
      in: TestHome())
  }

  func testAHomeThatIsNotFinishedIsNone() throws {
    let missing = "error: There is no home at \"mine\". Make one with \"gemctl init\", or name another with --home.\n"
    let home = try TestHome()
    try Row.check(
      [
        Row("gemctl --home mine init > /dev/null; mv mine/home.json mine/home.json.unfinished"),
        Row("gemctl --home mine balance", 74, error: missing),
        Row("gemctl --home mine grant GEM=5 --customer alice --reason gift", 74, error: missing),
        Row("gemctl --home mine verify", 74, error: missing),
        Row("gemctl --home mine customers", 74, error: missing),
        Row("gemctl --home mine init | head -1 | cut -c1-18", output: "Made the home mine\n"),
        Row("ls mine", output: "home.json\nledger.sqlite\n"),
        Row("gemctl --home mine customers --json | grep -o customer_id | wc -l", output: "1\n"),
      ], in: home)
  }

  /// Where the home's own file was lost, the bookings must not be lost too.
  func testALedgerWithCustomersIsNeverTakenOver() throws {
    try Row.check(
      [
        Row("gemctl --home mine init > /dev/null"),
        Row("gemctl --home mine grant GEM=5 --customer alice --reason gift > /dev/null"),
        Row("rm mine/home.json; touch mine/home.json.unfinished; cp mine/ledger.sqlite before"),
        Row("gemctl --home mine init 2>&1 | head -c 6", output: "error:"),
        Row("cmp mine/ledger.sqlite before && ls mine", output: "home.json.unfinished\nledger.sqlite\n"),
      ], in: TestHome())
  }

  /// The lock of a process that makes a home and is stopped there.
  func testAHomeBeingMadeIsLeftToItsMaker() throws {
    try XCTSkipUnless(try Shell.run("command -v flock").status == 0, "there is no flock(1)")
    let being = """
      error: Another process is making the home "mine" right now. Use that one, or name another with --home.

      """
    try Row.check(
      [
        Row("mkdir mine; exec 9> mine/home.json.unfinished; flock 9; gemctl --home mine init", 2, error: being),
        Row("gemctl --home mine init > /dev/null; ls mine", output: "home.json\nledger.sqlite\n"),
      ], in: TestHome())
  }

  func testManyInitsAtOnceMakeOneHome() throws {
    for round in 0..<5 {
      let answer = try TestHome().run(
        """
        for i in 1 2 3 4 5 6 7 8; do { gemctl --home a/b/mine init > /dev/null 2> err$i; echo $?; } & done | sort |
        tr -d '\\n'
        wait; ls a/b/mine | tr '\\n' ' '; gemctl --home a/b/mine verify > /dev/null && cat err? | sort -u | wc -l
        """)
      XCTAssertTrue(answer.output.hasPrefix("02222222home.json ledger.sqlite "), "round \(round): \(answer)")
    }
  }

  func testAnotherCatalogTakesThePlaceOfTheUnfinishedOne() throws {
    let home = try TestHome()
    try home.write(BuiltInCatalog.text.replacing("300 Gems", with: "303 Gems"), to: "other.json")
    try Row.check(
      [
        Row("gemctl --home mine init > /dev/null; mv mine/home.json mine/home.json.unfinished"),
        Row(
          "gemctl --home mine init other.json > /dev/null; gemctl --home mine offerings | grep -c '303 Gems'",
          output: "1\n"),
        Row("gemctl --home mine init > /dev/null 2>&1", 2),
      ], in: home)
  }

  func testAnImportThatWasKilledEarlyGoesOn() throws {
    try Row.check(
      [
        Row("gemctl --home old init > /dev/null"),
        Row("gemctl --home old grant GEM=5 --customer alice --reason gift > /dev/null"),
        Row("gemctl --home old export --output all.jsonl > /dev/null"),
        // Killed with nothing but the draft, and over an init that was killed when its ledger was there.
        Row("mkdir mine; touch mine/home.json.unfinished; gemctl --home mine import all.jsonl > /dev/null"),
        Row(
          "gemctl --home mine balance GEM --customer alice --json | grep -o '.balance.:5'", output: "\"balance\":5\n"),
        Row("gemctl --home two init > /dev/null; mv two/home.json two/home.json.unfinished"),
        Row(
          "gemctl --home two import all.jsonl > /dev/null; gemctl --home two balance GEM --customer alice --json "
            + "| grep -o '.balance.:5'",
          output: "\"balance\":5\n"),
      ], in: TestHome())
  }
}
