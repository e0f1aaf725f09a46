import Foundation
import Synchronization
import XCTest

/// One run of `gemdamage`, to its end.
struct DamageRun {
  /// The seed at which the process was ended, with its last message; nil where it came to its own end.
  let endedAt: (seed: UInt64, message: String)?
  /// Answers that no ledger should give, with their seeds.
  let complaints: [String]

  init(_ damage: String, original: String, directory: String, first: UInt64, count: UInt64) throws {
    let process = Process()
    let (output, error) = (Pipe(), Pipe())
    process.executableURL = Self.program
    process.arguments = [damage, original, directory, "\(first)", "\(count)"]
    process.standardOutput = output
    // A trap says where it was.
    process.standardError = error
    try process.run()
    let trap = Gathered()
    DispatchQueue.global().async { trap.append(Array(error.fileHandleForReading.readDataToEndOfFile())) }
    let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    process.waitUntilExit()
    let seeds = lines.filter { $0.hasPrefix("seed ") }
    complaints = Self.complaints(lines)
    let last = seeds.last.flatMap { UInt64($0.dropFirst(5)) } ?? first
    let isEnded = process.terminationReason != .exit || process.terminationStatus != 0
    let told = String(decoding: trap.bytes, as: UTF8.self).split(separator: "\n").prefix(3).joined(separator: " / ")
    let damages = lines[(lines.lastIndex { $0.hasPrefix("seed ") } ?? 0)...].filter { $0.hasPrefix("damage ") }
    let message =
      "\(damage), seed \(last): ended with \(process.terminationStatus) in \"\(lines.last ?? "")\" after "
      + "\(damages.joined(separator: "; ")): \(told)"
    endedAt = isEnded ? (last, message) : nil
  }

  private static func complaints(_ lines: [String]) -> [String] {
    var (seed, damage, verb) = ("", "", "")
    var found: [String] = []
    for line in lines {
      if line.hasPrefix("seed ") {
        (seed, damage) = (line, "")
      } else if line.hasPrefix("damage ") {
        damage += line
      } else if line.hasPrefix("UNEXPECTED ") {
        found.append("\(seed), \(damage), \(verb): \(line)")
      } else {
        verb = line
      }
    }
    return found
  }

  private static let program: URL = {
    #if os(macOS)
    let tests = Bundle(for: DamageTests.self).bundleURL
    #else
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    #endif
    return tests.deletingLastPathComponent().appendingPathComponent("gemdamage")
  }()
}

/// Bytes that come from any thread.
final class Gathered: Sendable {
  private let gathered = Mutex<[UInt8]>([])

  var bytes: [UInt8] { gathered.withLock { $0 } }
  func append(_ bytes: [UInt8]) { gathered.withLock { $0 += bytes } }
}
