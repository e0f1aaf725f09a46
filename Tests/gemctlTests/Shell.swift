import Foundation
import XCTest

/// Runs bash, for tests that need real processes.
enum Shell {
  struct Answer: Equatable {
    let status: Int32
    let output: String
    var error: String
  }

  /// The directory that holds the built `gemctl`.
  static var productDirectory: String {
    #if os(macOS)
    let bundle = Bundle(for: CompletionScriptTests.self).bundleURL
    #else
    let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    #endif
    return bundle.deletingLastPathComponent().path
  }

  /// Runs the script, with `gemctl` in reach.
  static func run(_ script: String) throws -> Answer {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["--noprofile", "--norc", "-c", script]
    let inherited = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    process.environment = ["PATH": "\(productDirectory):\(inherited)", "LC_ALL": "C"]
    let output = Pipe()
    let error = Pipe()
    process.standardOutput = output
    process.standardError = error
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // The output of the scripts here fits into a pipe, so that one pipe may be read after the other.
    let outputText = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let errorText = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Answer(status: process.terminationStatus, output: outputText, error: errorText)
  }
}
