import Foundation
import Synchronization

/// A process that runs the tests of a unit, with a temporary directory and a log of its own.
final class UnitProcess {
  /// The processes that run now, for signals.
  private static let identifiers = Mutex<Set<Int32>>([])

  /// Which of the places for processes it has.
  let slot: Int
  let tier: Tier
  private let directory: String
  private let process: Process
  private let output = Pipe()
  private let log: FileHandle
  private let clock = ContinuousClock()
  private var lastOutput: ContinuousClock.Instant
  private var lastStart: ContinuousClock.Instant
  private var parser: TestOutput
  private var line: [UInt8] = []
  /// What the process used until the start of the test that runs, and until the last look at it.
  private var (startSeconds, lastSeconds) = (0.0, 0.0)
  private var wasStopped = false

  init(_ unit: TestUnit, slot: Int, bundle: TestBundle, options: Options) throws {
    self.slot = slot
    parser = TestOutput(unit.tests)
    process = bundle.process(running: unit.tests)
    directory = "\(options.temporary)/\(slot)"
    tier = unit.tier
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["TMPDIR": directory, "GEMLEDGER_TIER": unit.tier.rawValue]
    ) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    let first = unit.tests[0]
    log = try Self.openLog("\(options.logs)/\(first.module).\(first.className).\(first.method).\(unit.tier).txt")
    lastOutput = clock.now
    lastStart = lastOutput
    try process.run()
    // The writing end belongs to the process alone.
    try output.fileHandleForWriting.close()
    Self.identifiers.withLock { _ = $0.insert(process.processIdentifier) }
  }

  private static func openLog(_ path: String) throws -> FileHandle {
    guard FileManager.default.createFile(atPath: path, contents: nil), let log = FileHandle(forWritingAtPath: path)
    else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
    return log
  }

  var descriptor: Int32 { output.fileHandleForReading.fileDescriptor }
  var hasEnded: Bool { !process.isRunning }
  var silentSeconds: Double { (clock.now - lastOutput) / .seconds(1) }

  /// Reads what there is, and does not wait for more.
  func readOutput() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&state, 1, 0) > 0 else { return }
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      lastOutput = clock.now
      log.write(Data(buffer[..<count]))
      for byte in buffer[..<count] {
        if byte == UInt8(ascii: "\n") { endLine() } else { line.append(byte) }
      }
    }
  }

  /// A process that has ended tells no more, so that its last test counts until the look before.
  func noteProcessorTime() {
    lastSeconds = ProcessStatus(process.processIdentifier)?.processorSeconds ?? lastSeconds
  }

  private func endLine() {
    let text = String(decoding: line, as: UTF8.self)
    line.removeAll(keepingCapacity: true)
    switch parser.read(text) {
    case .started:
      lastStart = clock.now
      noteProcessorTime()
      startSeconds = lastSeconds
    case .ended:
      noteProcessorTime()
      parser.add(processorSeconds: lastSeconds - startSeconds)
    case .other: break
    }
  }

  /// Ends a process that hangs.
  func stop() {
    wasStopped = true
    ProcessTree.kill(process.processIdentifier)
  }

  /// The results, and the tests that no process has tried.
  func finish() -> (results: [TestResult], unrun: [TestName]) {
    if !line.isEmpty { endLine() }
    process.waitUntilExit()
    Self.identifiers.withLock { _ = $0.remove(process.processIdentifier) }
    try? log.close()
    // What tests left behind, which may be memory.
    try? FileManager.default.removeItem(atPath: directory)
    let ending = "\(process.terminationReason == .uncaughtSignal ? "signal" : "status") \(process.terminationStatus)"
    let reason =
      wasStopped ? "it printed nothing for \(Int(TestRun.silentSecondsMax)) s" : "its process ended with \(ending)"
    if parser.current != nil {
      parser.fail(reason, seconds: (clock.now - lastStart) / .seconds(1))
    } else if parser.results.isEmpty || process.terminationStatus == 0 && !parser.remaining.isEmpty {
      parser.failRemaining("it was not run; \(reason)")
    } else if process.terminationReason == .uncaughtSignal
      || process.terminationStatus != 0 && !parser.results.contains(where: { $0.status == .failed })
    {
      // A crash between tests or at the end, or a failure outside of the tests.
      parser.failLast(reason)
    }
    return (parser.results, parser.remaining)
  }

  /// Ends all processes that run, and those that they started.
  static func stopAll() {
    for identifier in identifiers.withLock({ $0 }) { ProcessTree.kill(identifier) }
  }
}

/// A process and all that it started: servers and others of which a test is still the parent.
enum ProcessTree {
  static func kill(_ root: Int32) {
    var children: [Int32: [Int32]] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let process = Int32(name), let parent = ProcessStatus(process)?.parent else { continue }
      children[parent, default: []].append(process)
    }
    var waiting = [root]
    while let process = waiting.popLast() {
      _ = Foundation.kill(process, SIGKILL)
      waiting += children[process] ?? []
    }
  }
}

/// What the system tells about a process; nothing on systems without `/proc`.
struct ProcessStatus {
  let parent: Int32
  /// The processor time of the process and of its ended children.
  let processorSeconds: Double

  init?(_ process: Int32) {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
    // The name in parentheses may have spaces. The state and the parent follow; user and system time, and those of the
    // children, are words 12 to 15 after it.
    let words = text.suffix(from: text.lastIndex(of: ")") ?? text.startIndex).split(separator: " ")
    guard words.count > 15, let parent = Int32(words[2]) else { return nil }
    self.parent = parent
    let ticks = words[12...15].compactMap { Double($0) }.reduce(0, +)
    processorSeconds = ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
