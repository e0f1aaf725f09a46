import XCTest

@testable import GemLedgerArchive

final class ReplayedRowsTests: XCTestCase {
  func testListsEachChangedRowOnceInOrder() {
    let rows = ReplayedRows<String>()
    rows.keep(ReplayedRow(row: "kept", isNew: false), 5)
    rows.keep(ReplayedRow(row: "not changed", isNew: false), 1)
    for (number, row) in [(9, "a"), (5, "b"), (9, "c"), (2, "d")] {
      rows.put(ReplayedRow(row: row, isNew: number != 5), Int64(number))
    }
    XCTAssertEqual(rows.changedInOrder().map(\.row), ["d", "b", "c"])
    XCTAssertEqual(rows.changedInOrder().map(\.isNew), [true, false, true])
    XCTAssertEqual(rows.count, 4)
  }

  func testARowOfAnEarlierPageIsNoLongerNew() {
    let rows = ReplayedRows<String>()
    var row = ReplayedRow(row: "a", isNew: true)
    row.movedFrom = 7
    rows.put(row, 3)
    rows.beginPage()
    XCTAssertEqual(rows.changedInOrder().count, 0)
    XCTAssertEqual(rows[3]?.isNew, false)
    XCTAssertNil(rows[3]?.movedFrom)
    rows.keep(ReplayedRow(row: "later", isNew: true), 3)
    XCTAssertEqual(rows[3]?.row, "a")
    rows.removeAll()
    XCTAssertNil(rows[3])
  }
}
