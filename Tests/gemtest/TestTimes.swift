import Foundation

/// Recorded durations of tests, in the quick and in the thorough tier, from which runs are divided.
///
/// A line of the file has the seconds in both tiers and the name. Tests that take less than a fifth of a second in both
/// are left out. Wrong times cost balance, never a test.
struct TestTimes {
  static let recordedSecondsMin = 0.2
  /// Assumed for a test without a line.
  static let unrecordedSeconds = 0.03

  private struct Times {
    var quick = TestTimes.unrecordedSeconds
    var thorough = TestTimes.unrecordedSeconds
  }

  private var times: [TestName: Times] = [:]

  init(file: String) throws {
    guard FileManager.default.fileExists(atPath: file) else { return }
    for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 3, let quick = Double(words[0]), let thorough = Double(words[1]),
        let name = TestName(words[2])
      else { continue }
      times[name] = Times(quick: quick, thorough: thorough)
    }
  }

  func seconds(of test: TestName, in tier: Tier) -> Double {
    let times = times[test] ?? Times()
    return tier == .thorough ? times.thorough : times.quick
  }

  /// The tests of one of several shares, each of which takes about as long in the thorough tier.
  ///
  /// Each test is in one share.
  func share(_ part: Int, of count: Int, _ tests: [TestName]) -> Set<TestName> {
    func added(_ test: TestName) -> Double { seconds(of: test, in: .thorough) - seconds(of: test, in: .quick) }
    let sorted = tests.map { (added($0), $0) }.sorted { ($0.0, $1.1) > ($1.0, $0.1) }.map(\.1)
    return Set(sorted.enumerated().filter { $0.offset % count == part }.map(\.element))
  }

  /// Takes over the durations of passed tests; those of other tests and of the other tier stay.
  mutating func record(_ results: [TestResult], in tier: (TestName) -> Tier) {
    for result in results where result.status == .passed {
      var changed = times[result.name] ?? Times()
      if tier(result.name) == .thorough { changed.thorough = result.seconds } else { changed.quick = result.seconds }
      times[result.name] = changed
    }
  }

  func write(to file: String) throws {
    let lines = times.filter { max($0.value.quick, $0.value.thorough) >= Self.recordedSecondsMin }
      .sorted { $0.key < $1.key }
      .map { String(format: "%.1f %.1f ", $0.value.quick, $0.value.thorough) + "\($0.key)\n" }
    try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
  }
}
