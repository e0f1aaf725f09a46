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

  func run(_ arguments: [String]) throws -> Ending {
    let process = Process()
    let (output, error) = (Pipe(), Pipe())
    process.executableURL = Self.program
    process.arguments = [directory] + arguments
    process.standardOutput = output
    process.standardError = error
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let wasKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    return Ending(wasKilled: wasKilled, status: process.terminationStatus, output: said, error: complaint)
  }

  private static let program: URL = {
    #if os(macOS)
      let tests = Bundle(for: CrashMatrixTests.self).bundleURL
    #else
      let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    #endif
    return tests.deletingLastPathComponent().appendingPathComponent("gemcrash")
  }()
}
