/// Tests of one module that run in one process, one after the other.
struct TestUnit {
  /// A test or a class that takes longer has a process of its own; shorter ones share processes of about this length.
  static let targetSeconds = 4.0
  /// The system bounds the length of one argument: 128 KiB on Linux.
  static let testCountMax = 400

  private(set) var tests: [TestName]
  private(set) var seconds: Double

  /// Divides the tests, the longest unit first, so that the last units to start are short ones.
  ///
  /// - Parameter seconds: The expected duration of a test.
  static func divide(_ tests: [TestName], seconds: (TestName) -> Double) -> [TestUnit] {
    var units: [TestUnit] = []
    for (_, tests) in Dictionary(grouping: tests, by: \.module) {
      var rest = TestUnit(tests: [], seconds: 0)
      // Longest first, so that the shared processes fill up with short tests; then by class, which share fixtures.
      for (test, seconds) in tests.map({ ($0, seconds($0)) }).sorted(by: { $0.0 < $1.0 }) {
        if seconds >= targetSeconds {
          units.append(TestUnit(tests: [test], seconds: seconds))
          continue
        }
        let isFull = rest.seconds + seconds > targetSeconds || rest.tests.count == testCountMax
        if isFull, !rest.tests.isEmpty {
          units.append(rest)
          rest = TestUnit(tests: [], seconds: 0)
        }
        rest.tests.append(test)
        rest.seconds += seconds
      }
      if !rest.tests.isEmpty { units.append(rest) }
    }
    return units.sorted { ($0.seconds, $1.tests[0]) > ($1.seconds, $0.tests[0]) }
  }
}
