/// Tests of one module that run in one process, one after the other.
struct TestUnit {
  /// A test or a class that takes longer has a process of its own; shorter ones share processes of about this length.
  static let targetSeconds = 4.0
  /// The system bounds the length of one argument: 128 KiB on Linux.
  static let testCountMax = 400

  private(set) var tests: [TestName]
  let tier: Tier
  private(set) var seconds = 0.0

  /// Divides the tests, the longest unit first, so that the last units to start are short ones.
  static func divide(_ tests: [TestName], in tier: (TestName) -> Tier, _ times: TestTimes) -> [TestUnit] {
    var units: [TestUnit] = []
    for (group, tests) in Dictionary(grouping: tests, by: { "\($0.module) \(tier($0))" }) {
      let tier = group.hasSuffix(" thorough") ? Tier.thorough : .quick
      var rest = TestUnit(tests: [], tier: tier)
      // In order of their names: tests of a class share what the class starts once.
      for test in tests.sorted() {
        let seconds = times.seconds(of: test, in: tier)
        if seconds >= targetSeconds {
          units.append(TestUnit(tests: [test], tier: tier, seconds: seconds))
          continue
        }
        let isFull = rest.seconds + seconds > targetSeconds || rest.tests.count == testCountMax
        if isFull, !rest.tests.isEmpty {
          units.append(rest)
          rest = TestUnit(tests: [], tier: tier)
        }
        rest.tests.append(test)
        rest.seconds += seconds
      }
      if !rest.tests.isEmpty { units.append(rest) }
    }
    return units.sorted { ($0.seconds, $1.tests[0]) > ($1.seconds, $0.tests[0]) }
  }
}
