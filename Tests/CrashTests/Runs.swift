import Foundation
import XCTest
import gemcrash

/// Runs of `gemcrash`, each a process of its own.
struct Runs {
  /// How a process ended.
  struct Ending: Equatable {
    /// Whether SIGKILL ended it.
    var wasKilled: Bool
    var status: Int32
    var output: String
    var error: String
  }

  let directory: String
  let access: Access

  /// Runs to the end, or kills the process once it has said so many lines.
  func run(_ arguments: [String], killedAfterLines count: Int? = nil) throws -> Ending {
    let process = Process()
    let (output, error) = (Pipe(), Pipe())
    process.executableURL = Self.productDirectory.appendingPathComponent("gemcrash")
    process.arguments = [directory, access.rawValue] + arguments
    process.standardOutput = output
    process.standardError = error
    try process.run()
    var data = Data()
    if let count {
      while data.count(where: { $0 == UInt8(ascii: "\n") }) < count {
        let more = output.fileHandleForReading.availableData
        if more.isEmpty { break }
        data += more
      }
      kill(process.processIdentifier, SIGKILL)
    }
    data += output.fileHandleForReading.readDataToEndOfFile()
    let said = String(decoding: data, as: UTF8.self)
    let complaint = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let wasKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    return Ending(wasKilled: wasKilled, status: process.terminationStatus, output: said, error: complaint)
  }

  /// The directory of the built programs.
  static let productDirectory: URL = {
    #if os(macOS)
    let tests = Bundle(for: CrashMatrixTests.self).bundleURL
    #else
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    #endif
    return tests.deletingLastPathComponent()
  }()
}
