import Foundation

/// Runs units in processes, several at once, and collects the results of their tests.
///
/// One thread reads the output of all processes in turn.
struct TestRun {
  /// A process that prints nothing for so long hangs.
  static let silentSecondsMax = 900.0

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
    let signals = endProcessesOnSignals()
    defer { for source in signals { source.cancel() } }
    while !waiting.isEmpty || !running.isEmpty {
      while running.count < options.jobs, let unit = waiting.popFirst() {
        let slot = (0..<options.jobs).first { slot in !running.contains { $0.slot == slot } } ?? 0
        running.append(try UnitProcess(unit, slot: slot, bundle: bundle, options: options))
      }
      try readOnce()
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
    if !unrun.isEmpty { waiting = [TestUnit(tests: unrun, seconds: 0)] + waiting }
    for result in ended where result.status == .failed { print("\nFAILED \(result.name)") }
    let failures = results.count { $0.status == .failed }
    TestReport.showProgress(
      "\(results.count) of \(testCount) tests" + (failures > 0 ? ", \(failures) failed" : ""))
  }

  /// Ctrl-C and its kind end the processes of tests too; `.ci/test` removes their files.
  private func endProcessesOnSignals() -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        UnitProcess.stopAll()
        exit(128 + number)
      }
      source.resume()
      return source
    }
  }
}
