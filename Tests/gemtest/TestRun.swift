import Foundation
import Synchronization

/// Runs units in processes, several at once, and collects the results of their tests.
///
/// One thread reads the output of all processes in turn.
struct TestRun {
  /// A process that prints nothing for this long is taken to hang.
  ///
  /// A test with a million inputs may print nothing for half an hour.
  static let silentSecondsMax = 3600.0

  private let bundle: TestBundle
  private let options: Options
  private var waiting: ArraySlice<TestUnit>
  private var running: [UnitProcess] = []
  private var results: [TestResult] = []
  private let testCount: Int
  private(set) var wallSeconds = 0.0

  init(bundle: TestBundle, options: Options, units: [TestUnit]) {
    self.bundle = bundle
    self.options = options
    waiting = units[...]
    testCount = units.reduce(0) { $0 + $1.tests.count }
  }

  mutating func perform() throws -> [TestResult] {
    let clock = ContinuousClock()
    let start = clock.now
    let parent = getppid()
    EndingSignal.watch()
    defer { UnitProcess.stopAll() }
    while !waiting.isEmpty || !running.isEmpty {
      while running.count < options.jobs, let unit = waiting.popFirst() {
        let slot = (0..<options.jobs).first { slot in !running.contains { $0.slot == slot } } ?? 0
        running.append(try UnitProcess(unit, slot: slot, bundle: bundle, options: options))
      }
      try readOnce()
      if let number = EndingSignal.received ?? (getppid() == parent ? nil : SIGHUP) { end(by: number) }
    }
    wallSeconds = (clock.now - start) / .seconds(1)
    return results
  }

  private mutating func readOnce() throws {
    var descriptors = running.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    let count = poll(&descriptors, nfds_t(descriptors.count), 200)
    guard count >= 0 || errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    if count <= 0 { for process in running { process.noteProcessorTime() } }
    for process in running {
      // The order counts: what a process wrote before it ended is read after that.
      let hasEnded = process.hasEnded
      process.readOutput()
      if hasEnded {
        end(process)
      } else if process.silentSeconds > Self.silentSecondsMax {
        process.stop()
      }
    }
  }

  private mutating func end(_ process: UnitProcess) {
    running.removeAll { $0 === process }
    let (ended, unrun) = process.finish()
    results += ended
    // The tests after a crash run in another process.
    if !unrun.isEmpty { waiting = [TestUnit(tests: unrun, tier: process.tier)] + waiting }
    for result in ended where result.status == .failed { print("FAILED \(result.name)") }
    fflush(nil)
    let failures = results.count { $0.status == .failed }
    TestReport.showProgress(
      "\(results.count) of \(testCount) tests" + (failures > 0 ? ", \(failures) failed" : ""))
  }

  /// Ends the tests and leaves no file: the script that would remove them may be gone.
  private func end(by signal: Int32) -> Never {
    UnitProcess.stopAll()
    try? FileManager.default.removeItem(atPath: options.temporary)
    exit(128 + signal)
  }
}

/// The signals by which users and systems end a run.
///
/// They have handlers, since started programs inherit ignored signals, and tests are to run as programs usually do.
private enum EndingSignal {
  private static let number = Atomic<Int32>(0)

  static func watch() {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      _ = Foundation.signal(signal) { EndingSignal.number.store($0, ordering: .relaxed) }
    }
  }

  static var received: Int32? {
    let number = number.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }
}
