import LedgerCharts
import XCTest

@testable import gemctl

final class TableTests: XCTestCase {
  func testAlignsColumnsByDisplayWidth() {
    var table = Table([.left("Name"), .right("Amount"), .left("Note")])
    table.add(["alice", "1,200", "é"])
    table.add(["宝石", "5", ""])
    table.add(["👩‍👩‍👧", "30"])
    XCTAssertEqual(
      table.text(style: .plain),
      """
      Name   Amount  Note
      alice   1,200  é
      宝石        5
      👩‍👩‍👧         30

      """)
  }

  func testATableFitsItsTerminalAndAPipeGetsEverything() {
    var table = Table([.id("STORE TRANSACTION"), .right("AMOUNT"), .text("ABOUT")])
    table.add(["0123456789abcdefghijklmnopqrstuvwxyz", "1,200", "a long text about the reason of it"])
    let whole = """
      STORE TRANSACTION                     AMOUNT  ABOUT
      0123456789abcdefghijklmnopqrstuvwxyz   1,200  a long text about the reason of it

      """
    XCTAssertEqual(table.text(style: .plain), whole)
    XCTAssertEqual(table.text(style: Style(isOn: false, width: 80)), whole)
    let narrow = table.text(style: Style(isOn: false, width: 66))
    XCTAssertTrue(narrow.contains("\n0123456789a…qrstuvwxyz "), narrow)
    XCTAssertTrue(narrow.hasSuffix("\nShortened to fit the terminal; --json has everything.\n"), narrow)
    for width in 40..<80 {
      let lines = table.text(style: Style(isOn: false, width: width)).split(separator: "\n").prefix(2)
      for line in lines { XCTAssertLessThanOrEqual(DisplayWidth.of(String(line)), width) }
    }
  }

  /// Where shortening is not enough, no line is wrapped by the terminal.
  func testATableThatCannotFitIsABlockOfLinesForEachRow() {
    var table = Table([
      .time("TIME"), .id("CUSTOMER"), .left("KIND"), .right("CHANGE"), .right("BALANCE"), .left("CURRENCY"),
      .id("TRANSACTION"), .text("ABOUT"),
    ])
    let time = "2026-11-23T12:40:35.193Z"
    let id = "01a208e6-a03e-7000-8000-0000001e1744"
    table.add([time, "alice", "reversed_refund", "+1,200,000", "1,200,000", "GEM", id, "gems refunded 0 %"])
    table.add([time, "alice", "grant", "+5", "5", "GEM", id, ""])
    for width in 24..<160 {
      for line in table.text(style: Style(isOn: false, width: width)).split(separator: "\n") where line.first != "S" {
        XCTAssertLessThanOrEqual(DisplayWidth.of(String(line)), width, String(line))
      }
    }
    XCTAssertTrue(table.text(style: Style(isOn: false, width: 80)).hasPrefix("TIME "), "a table of a usual terminal")
    XCTAssertEqual(
      table.text(style: Style(isOn: false, width: 40)),
      """
      TIME         2026-11-23T12:40:35.193Z
      CUSTOMER     alice
      KIND         reversed_refund
      CHANGE       +1,200,000
      BALANCE      1,200,000
      CURRENCY     GEM
      TRANSACTION  01a208e6-a03e…-0000001e1744
      ABOUT        gems refunded 0 %

      TIME         2026-11-23T12:40:35.193Z
      CUSTOMER     alice
      KIND         grant
      CHANGE       +5
      BALANCE      5
      CURRENCY     GEM
      TRANSACTION  01a208e6-a03e…-0000001e1744

      """)
  }

  func testAnIDKeepsItsEndsAndATextItsBeginning() {
    XCTAssertEqual(Shortening.middle.applied(to: "0123456789abcdef", width: 9), "0123…cdef")
    XCTAssertEqual(Shortening.end.applied(to: "a long text", width: 7), "a long…")
    XCTAssertEqual(Shortening.end.applied(to: "宝石の宝箱", width: 7), "宝石の…")
    XCTAssertEqual(Shortening.middle.applied(to: "short", width: 9), "short")
    XCTAssertEqual(Shortening.time.applied(to: "2026-11-23T12:40:35.193Z", width: 22), "2026-11-23T12:40:35Z")
    XCTAssertEqual(Shortening.time.applied(to: "2026-11-23T12:40:35.193Z", width: 17), "2026-11-23T12:40Z")
    XCTAssertEqual(Shortening.time.applied(to: "2026-11-23T12:40:35.193Z", width: 11), "11-23 12:40")
    XCTAssertEqual(Shortening.never.applied(to: "0123456789", width: 4), "0123456789")
  }

  func testEmphasisIsForTerminals() {
    XCTAssertEqual(Table([.left("A")]).text(style: Style(isOn: true)), "\u{1B}[1mA\u{1B}[0m\n")
  }

  func testCellsCannotDriveTheTerminal() {
    var table = Table([.left("Reason")])
    table.add(["\u{1B}]0;owned\u{07}\n\u{202E}x\u{9B}"])
    XCTAssertEqual(table.text(style: .plain), "Reason\n\\u{1B}]0;owned\\u{7}\\u{A}\\u{202E}x\\u{9B}\n")
  }

  func testCountsColumns() {
    let rows: [(line: UInt, text: String, width: Int)] = [
      (#line, "", 0), (#line, "gem", 3), (#line, "é", 1), (#line, "e\u{301}", 1), (#line, "ダイヤ", 6), (#line, "한글", 4),
      (#line, "Ａ", 2), (#line, "💎", 2), (#line, "❤️", 2), (#line, "❤", 1), (#line, "🇻🇳", 2), (#line, "1", 1),
      (#line, "Ж", 1), (#line, "\u{200B}", 0),
    ]
    for row in rows { XCTAssertEqual(DisplayWidth.of(row.text), row.width, row.text, line: row.line) }
  }

  func testGroupsDigits() {
    let rows: [(amount: Int64, text: String)] = [
      (0, "0"), (999, "999"), (1_200, "1,200"), (-50, "-50"), (-123_456, "-123,456"), (1_000_000, "1,000,000"),
      (.min, "-9,223,372,036,854,775,808"),
    ]
    for row in rows { XCTAssertEqual(AmountText.grouped(row.amount), row.text) }
    XCTAssertEqual([1_200, 0, -5].map(AmountText.signed), ["+1,200", "0", "-5"])
  }
}
