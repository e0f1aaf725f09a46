import XCTest

@testable import gemctl

final class ProgressBarTests: XCTestCase {
  /// Returns the drawings of a bar that is advanced at these instants.
  private func drawings(at milliseconds: [Int], onTerminal: Bool = true, width: Int = 80) -> [String] {
    var now = Duration.zero
    var drawn: [String] = []
    let terminal = Terminal(errorIsTerminal: onTerminal, width: width)
    var bar = ProgressBar(
      "Checking", total: 24_000, terminal: terminal, elapsed: { now }, write: { drawn.append($0) })
    for (index, instant) in milliseconds.enumerated() {
      now = .milliseconds(instant)
      bar.advance(to: (index + 1) * 6_000)
    }
    bar.finish()
    return drawn
  }

  /// A line is checked, and then booked: neither bar counts to twice the lines.
  func testAnImportCountsItsLines() {
    var drawn: [String] = []
    var now = Duration.seconds(1)
    var bars = ImportBars(
      lineCount: 100, terminal: Terminal(errorIsTerminal: true), elapsed: { now }, write: { drawn.append($0) })
    for done: Int64 in [50, 100, 150, 200] {
      now += .seconds(1)
      bars.show(done)
    }
    bars.finish()
    XCTAssertEqual(
      drawn.filter { $0.contains("of") }.map { String($0.dropFirst().prefix { $0 != "[" }) + $0.suffix(13) },
      [
        "Checking  50 of 100\u{1B}[K", "Checking 100 of 100\u{1B}[K", "Importing  50 of 100\u{1B}[K",
        "Importing 100 of 100\u{1B}[K",
      ])
  }

  func testQuickWorkHasNoBar() { XCTAssertEqual(drawings(at: [10, 999, 1_000]), []) }

  func testNothingIsDrawnWithoutATerminal() { XCTAssertEqual(drawings(at: [2_000], onTerminal: false), []) }

  func testDrawsAtIntervalsAndTakesTheBarAway() {
    XCTAssertEqual(
      drawings(at: [500, 1_001, 1_050, 1_200]),
      [
        "\rChecking [##########----------] 50 %  12,000 of 24,000\u{1B}[K",
        "\rChecking [####################] 100 %  24,000 of 24,000\u{1B}[K",
        "\r\u{1B}[K",
      ])
  }

  func testCountsWhereNobodyKnowsHowMany() {
    var drawn: [String] = []
    var bar = ProgressBar(
      "Sweeping", total: nil, terminal: Terminal(errorIsTerminal: true), elapsed: { .seconds(2) },
      write: { drawn.append($0) })
    bar.advance(to: 12_500)
    bar.finish()
    XCTAssertEqual(drawn, ["\rSweeping  12,500\u{1B}[K", "\r\u{1B}[K"])
  }

  func testFitsNarrowTerminals() {
    XCTAssertEqual(drawings(at: [2_000], width: 10), ["\rChecking \u{1B}[K", "\r\u{1B}[K"])
  }
}
