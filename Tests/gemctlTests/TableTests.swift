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
