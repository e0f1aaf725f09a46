/// The end of a test.
struct TestResult {
  enum Status: String {
    case passed
    case failed
    case skipped
  }

  let name: TestName
  var status: Status
  var seconds: Double
  /// Processor seconds of its process and of that one's ended children; a server of another process is not among them.
  var processorSeconds = 0.0
  /// The lines with its failures, or the reason why it was skipped.
  var messages: [String] = []
  var failureCount = 0
  /// Errors that were thrown, and crashes.
  var unexpectedCount = 0
}

/// Reads the output of one process of tests, line by line.
struct TestOutput {
  enum Event: Equatable {
    case started
    case ended
    case other
  }

  private static let messageCountMax = 40

  /// The tests that have not ended.
  private(set) var remaining: [TestName]
  private(set) var current: TestName?
  private(set) var results: [TestResult] = []
  private var messages: [String] = []
  private var tail: [String] = []
  private var failureCount = 0
  private var unexpectedCount = 0
  private var isInMessage = false

  init(_ tests: [TestName]) { remaining = tests }

  mutating func read(_ line: String) -> Event {
    guard line.contains("Test Case '") else {
      note(line)
      return .other
    }
    // Tests print without an end of line sometimes, so that the line may have begun before.
    if let match = line.firstMatch(of: /Test Case '(?:-\[\w+\.)?(\w+)[. ](\w+)\]?' started/) {
      current = remaining.first { $0.className == match.1 && $0.method == match.2 }
      (messages, tail, failureCount, unexpectedCount, isInMessage) = ([], [], 0, 0, false)
      return .started
    }
    let end = /Test Case '(?:-\[\w+\.)?(\w+)[. ](\w+)\]?' (passed|failed|skipped) \(([0-9.]+) seconds\)/
    if let match = line.firstMatch(of: end), let current, current.className == match.1, current.method == match.2 {
      finish(TestResult.Status(rawValue: String(match.3)) ?? .failed, seconds: Double(match.4) ?? 0)
      return .ended
    }
    note(line)
    return .other
  }

  private mutating func note(_ line: String) {
    tail = tail.suffix(Self.messageCountMax - 1) + [line]
    if line.contains(/: error: .+? :/) {
      failureCount += 1
      if line.contains(": threw error ") { unexpectedCount += 1 }
      isInMessage = true
    } else if line.contains(": Test skipped") {
      isInMessage = true
    } else if line.hasPrefix("Test ") {
      isInMessage = false
    }
    // A seed repeats the failure.
    if isInMessage || line.contains(/: seed [0-9]+$/), messages.count < Self.messageCountMax { messages.append(line) }
  }

  private mutating func finish(_ status: TestResult.Status, seconds: Double) {
    guard let name = current else { return }
    results.append(
      TestResult(
        name: name, status: status, seconds: seconds, messages: messages,
        failureCount: status == .failed ? max(failureCount, 1) : 0,
        unexpectedCount: status == .failed ? unexpectedCount : 0))
    remaining.removeAll { $0 == name }
    current = nil
  }

  /// Ends the test that its process did not survive.
  mutating func fail(_ reason: String, seconds: Double) {
    guard let current else { return }
    messages = ["\(current): error: \(reason); its last output:"] + tail
    failureCount += 1
    unexpectedCount += 1
    finish(.failed, seconds: seconds)
  }

  /// Fails the last test, after which its process did not end well.
  mutating func failLast(_ reason: String) {
    guard var last = results.popLast() else { return }
    last.status = .failed
    last.failureCount += 1
    last.unexpectedCount += 1
    last.messages += ["\(last.name): error: after the test, \(reason); its last output:"] + tail
    results.append(last)
  }

  /// Fails the tests that a process was asked for and did not report.
  mutating func failRemaining(_ reason: String) {
    for name in remaining {
      current = name
      (tail, failureCount, unexpectedCount) = ([], 0, 0)
      fail(reason, seconds: 0)
    }
  }

  mutating func add(processorSeconds: Double) {
    guard !results.isEmpty else { return }
    results[results.count - 1].processorSeconds = processorSeconds
  }
}
