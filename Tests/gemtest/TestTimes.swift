import Foundation

/// Recorded durations of tests, in the quick and in the thorough tier, from which runs are divided.
///
/// A line of the file has the seconds in both tiers and the name. Tests that take less than a fifth of a second in both
/// are left out. Wrong times cost balance, never a test.
struct TestTimes {
  static let recordedSecondsMin = 0.2
  /// Of a test without a line.
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

  func seconds(of test: TestName, in tier: String) -> Double {
    let times = times[test] ?? Times()
    return tier == "thorough" ? times.thorough : times.quick
  }

  /// Takes over the durations of a run; those of other tests and of the other tier stay.
  mutating func record(_ results: [TestResult], in tier: String) {
    for result in results {
      var changed = times[result.name] ?? Times()
      switch tier {
      case "quick": changed.quick = result.seconds
      case "thorough": changed.thorough = result.seconds
      default: continue
      }
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
