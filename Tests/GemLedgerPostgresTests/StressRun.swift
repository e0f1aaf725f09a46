#if PostgreSQL
import Foundation
import GemLedger
import GemTestSupport
import XCTest

@testable import gemstress

/// One run of `gemstress`; its output goes into files, so that no reader has to keep up.
final class StressRun {
  let plan: StressPlan
  let threads: Int
  private let process = Process()
  private let output: URL
  private let error: URL

  /// - Parameter count: So many commands, where it is not killed before.
  init(
    _ storage: String, _ plan: StressPlan, count: Int = 1_000_000, threads: Int = 3, isForgetful: Bool = false,
    in directory: TemporaryDirectory
  ) throws {
    self.plan = plan
    self.threads = threads
    output = directory.url.appendingPathComponent("\(plan.name).out")
    error = directory.url.appendingPathComponent("\(plan.name).err")
    process.arguments =
      [storage, plan.customers.map(\.text).joined(separator: ","), plan.name, "\(count)", "threads=\(threads)"]
      + (plan.isPartlyUnkeyed ? ["unkeyed"] : []) + (isForgetful ? ["forgetful"] : [])
    try start()
  }

  /// A run that makes the ledger, or finds it.
  init(making storage: String, name: String, in directory: TemporaryDirectory) throws {
    plan = StressPlan(customers: [], name: name)
    threads = 1
    output = directory.url.appendingPathComponent("\(name).out")
    error = directory.url.appendingPathComponent("\(name).err")
    process.arguments = [storage, "make"]
    try start()
  }

  private func start() throws {
    #if os(macOS)
    let program = Bundle(for: StressRun.self).bundleURL
    #else
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    #endif
    process.executableURL = program.deletingLastPathComponent().appendingPathComponent("gemstress")
    for file in [output, error] { try Data().write(to: file) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: error)
    try process.run()
  }

  var isRunning: Bool { process.isRunning }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func finish() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Returns the complaints of the run; each complaint ends it.
  ///
  /// libpq itself writes the message of a server that goes down during a connection attempt.
  func complaints() throws -> String {
    let lines = try String(contentsOf: error, encoding: .utf8).split(separator: "\n")
    return lines.filter { line in !["WARNING:", "DETAIL:", "HINT:"].contains { line.hasPrefix($0) } }
      .joined(separator: "\n")
  }

  func lines() throws -> [String] {
    try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// The numbers of the commands that were acknowledged, with their transactions.
  func acknowledged() throws -> [Int: String] {
    var found: [Int: String] = [:]
    for line in try lines() where !line.hasPrefix("?") {
      let words = line.split(separator: " ")
      guard words.count == 2, let number = Int(words[0].dropFirst(plan.name.count + 1)) else { continue }
      XCTAssertNil(found.updateValue(String(words[1]), forKey: number), "\(line) was said twice")
    }
    return found
  }
}

/// Waits for something that other processes bring about; false where it takes longer than a minute.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
  let start = ContinuousClock.now
  while try !condition() {
    guard ContinuousClock.now - start < .seconds(60) else { return false }
    usleep(10_000)
  }
  return true
}
#endif
