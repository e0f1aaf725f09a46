import Foundation

/// What a run prints at its end.
struct TestReport {
  let results: [TestResult]
  let wallSeconds: Double

  var isSuccess: Bool { !results.contains { $0.status == .failed } }

  /// One line that replaces itself on a terminal, and is left out elsewhere.
  static func showProgress(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
  }

  // MARK: The result

  /// Prints what was skipped, the failures, and a last line as XCTest's.
  func printSummary(logs: String) {
    Self.showProgress("")
    list(.skipped, "Skipped")
    list(.failed, "Failed")
    if !isSuccess { print("The whole output is in \(logs).\n") }
    let skipped = results.count { $0.status == .skipped }
    let failures = results.reduce(0) { $0 + $1.failureCount }
    let unexpected = results.reduce(0) { $0 + $1.unexpectedCount }
    let skips = skipped == 0 ? "" : "\(skipped) test\(skipped == 1 ? "" : "s") skipped and "
    print(
      "Executed \(results.count) test\(results.count == 1 ? "" : "s"), with \(skips)\(failures) "
        + "failure\(failures == 1 ? "" : "s") (\(unexpected) unexpected) in "
        + String(format: "%.3f (%.3f) seconds", results.reduce(0) { $0 + $1.seconds }, wallSeconds))
  }

  private func list(_ status: TestResult.Status, _ title: String) {
    let found = results.filter { $0.status == status }.sorted { $0.name < $1.name }
    guard !found.isEmpty else { return }
    print("\(title):")
    for result in found {
      print("  \(result.name)")
      for message in result.messages { print("    \(message)") }
    }
    print("")
  }

  // MARK: Times

  /// Wall and processor seconds of classes and tests, the slowest first.
  func printTimes(build: [Double]) {
    if build.count == 2 {
      let share = build[0] / (build[0] + wallSeconds) * 100
      print(
        String(
          format: "\nbuild: %.1f s wall, %.1f s processor, %.0f %% of the whole; tests: %.1f s wall", build[0],
          build[1], share, wallSeconds))
    }
    let classes = Dictionary(grouping: results, by: \.name.qualifiedClass).map { name, results in
      Row(name: name, count: results.count, results: results)
    }
    printTable("class", classes)
    printTable("test", results.map { Row(name: "\($0.name)", count: 1, results: [$0]) })
  }

  private struct Row {
    let name: String
    let count: Int
    let wall: Double
    let processor: Double

    init(name: String, count: Int, results: [TestResult]) {
      self.name = name
      self.count = count
      wall = results.reduce(0) { $0 + $1.seconds }
      processor = results.reduce(0) { $0 + $1.processorSeconds }
    }
  }

  private func printTable(_ title: String, _ rows: [Row]) {
    let sorted = rows.sorted { ($0.wall, $1.name) > ($1.wall, $0.name) }
    let shown = sorted.prefix { $0.wall >= TestTimes.recordedSecondsMin }
    print("\n    wall  processor  tests  \(title)")
    for row in shown { printLine(row.wall, row.processor, row.count, row.name) }
    let others = sorted.dropFirst(shown.count)
    guard !others.isEmpty else { return }
    printLine(
      others.reduce(0) { $0 + $1.wall }, others.reduce(0) { $0 + $1.processor }, others.reduce(0) { $0 + $1.count },
      "in \(others.count) others, each under \(TestTimes.recordedSecondsMin) s")
    printLine(
      rows.reduce(0) { $0 + $1.wall }, rows.reduce(0) { $0 + $1.processor }, rows.reduce(0) { $0 + $1.count }, "in all")
  }

  private func printLine(_ wall: Double, _ processor: Double, _ count: Int, _ name: String) {
    print(String(format: "%8.1f  %9.1f  %5d  ", wall, processor, count) + name)
  }
}
