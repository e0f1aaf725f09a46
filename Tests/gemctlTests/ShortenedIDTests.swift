import GemLedger
import GemTestSupport
import XCTest

@testable import gemctl

/// An id that a narrow terminal shortens is accepted wherever an id is.
final class ShortenedIDTests: XCTestCase {
  func testOnlyOneIDMayFit() throws {
    let id = try XCTUnwrap(ShortenedID("01a2…b0"))
    XCTAssertEqual(try id.only(of: ["01a2ffb0", "01a2ffb1", "91a2ffb0"]), "01a2ffb0")
    XCTAssertNil(try id.only(of: ["01a2b0", "01ab0"]), "nothing is left out")
    XCTAssertThrowsError(try id.only(of: ["01a2ffb0", "01a2eeb0"])) { error in
      let error = error as? LedgerError
      XCTAssertEqual(error?.code, .invalidIdentifier)
      XCTAssertEqual(
        error?.message, "\"01a2…b0\" fits several ids: \"01a2eeb0\", \"01a2ffb0\". Name one of them in full.")
    }
    XCTAssertNil(ShortenedID("01a2b0"))
    XCTAssertNil(ShortenedID("0…a…b"))
  }

  /// Whichever width the table had, and whenever it was.
  func testEveryTransactionIsFound() throws {
    let clock = ManualClock()
    let ledger = Ledger.inMemory(clock: clock.clock, salt: 1)
    let (gem, alice) = (try CurrencyCode("GEM"), try CustomerID("alice"))
    try ledger.apply(Catalog(currencies: [Currency(code: gem, name: "Gems")]))
    var ids: [TransactionID] = []
    for number in 0..<200 {
      ids.append(try XCTUnwrap(try ledger.grant([Adjustment(gem, 1)], customer: alice).transactionID))
      clock.advance(seconds: number.isMultiple(of: 3) ? 0 : 40 * Int64(number))
    }
    for id in ids {
      for width in [11, 16, 24, 35] {
        let text = Shortening.middle.applied(to: id.description, width: width)
        let found = try ledger.transactions(fitting: XCTUnwrap(ShortenedID(text)), isWanted: { _ in true })
        XCTAssertTrue(found.contains(id), text)
        if width > 15 { XCTAssertEqual(found, [id], text) }
      }
    }
    for text in ["…", "0…", "zz…00", "01a2…zz"] {
      let found = try ledger.transactions(fitting: XCTUnwrap(ShortenedID(text)), isWanted: { _ in true })
      XCTAssertEqual(found.isEmpty, text.contains("z"), text)
    }
  }

  /// Whatever stands before the ellipsis.
  func testOddTextsFindNothing() throws {
    let ledger = Ledger.inMemory(salt: 1)
    for text in ["0123456789abc…1", "0123456789abcdef0…", "-------------…", "zz…", "ffffffffffffffffffff…", "é…é"] {
      let id = try XCTUnwrap(ShortenedID(text))
      XCTAssertEqual(try ledger.transactions(fitting: id, isWanted: { _ in true }), [], text)
    }
  }

  func testVerbsTakeShortenedIDs() throws {
    let home = try TestHome()
    XCTAssertEqual(try home.raw("gemctl init && gemctl buy gems_1200 --customer player-4f1c9a7e").status, 0)
    let words = """
      id() { grep -o "\\"$1\\":\\"[^\\"]*" | cut -d'"' -f4; }
      short() { printf '%s…%s\\n' "$(cut -c1-8 <<<"$1")" "$(rev <<<"$1" | cut -c1-7 | rev)"; }
      export GEMCTL_CUSTOMER='player…9a7e'

      """
    try home.write(words, to: "words.sh")
    let use = ". ./words.sh; "
    try Row.check(
      [
        Row(use + "gemctl spend GEM=50 --json | id customer_id", output: "player-4f1c9a7e\n"),
        Row(
          use + "s=$(gemctl spend GEM=30 --json | id transaction_id); gemctl reverse \"$(short $s)\" | sed -n 2p",
          output: "GEM          +30    1,150  reversal\n"),
        Row(
          use + "h=$(gemctl hold GEM=20 --json | id hold_id); gemctl extend \"$(short $h)\" --for 1h >/dev/null && "
            + "gemctl capture \"$(short $h)\" GEM=5 --keep-open >/dev/null && "
            + "gemctl release \"$(short $h)\" | tail -n 1",
          output: "the hold has ended\n"),
        Row(
          use + "gemctl reverse '01…ffffffffff'", 5,
          error: "error: No transaction has an id like \"01…ffffffffff\".\n"),
        Row(
          use + "gemctl release '01…ffffffffff'", 5, error: "error: No hold has an id like \"01…ffffffffff\".\n"),
        Row(use + "gemctl reverse '0…'", 64, error: "error: \"0…\" fits several ids: \"<id>\", "),
        Row("gemctl freeze --reason r --customer 'player…' > /dev/null"),
        Row("gemctl unfreeze --reason r --customer '…9a7e' > /dev/null"),
        Row("gemctl grant GEM=1 --customer 'x…y' --reason r | tail -n 1", output: "customer     x…y\n"),
        Row("gemctl balance --customer 'x…y' --json | grep -c '\"balance\":1'", output: "1\n"),
      ], in: home, errorsBegin: true)
  }
}
