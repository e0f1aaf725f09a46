import Foundation
import GemTestSupport
import XCTest

/// The how-manieth call of its name a process makes.
struct TracedCall: Hashable, Sendable, CustomStringConvertible {
  let name: String
  let number: Int

  var description: String { "\(name) \(number)" }

  /// Whether a full disk can refuse it.
  var needsSpace: Bool { !["unlink", "unlinkat", "chmod", "fchmodat", "fchown", "flock"].contains(name) }
  var isWrite: Bool { name == "write" || name == "pwrite64" }
}

/// Runs one command line of `gemctl` under `strace`, which kills it or refuses it something at a chosen system call.
final class SystemCallStage: Sendable {
  /// The calls that change files or hold them.
  ///
  /// Each machine has some of those with a question mark.
  static let watched =
    "openat,?mkdir,mkdirat,write,pwrite64,fdatasync,fsync,ftruncate,?unlink,unlinkat,?rename,?renameat,?renameat2,"
    + "?chmod,?fchmodat,fchown,flock"

  let directory: TemporaryDirectory
  private let arguments: String
  private let watched: String

  /// - Parameters:
  ///   - arguments: The arguments after `gemctl --home NAME`; `HOME` in it stands for the home's name.
  ///   - watched: The calls to play; those that change files or hold them, unless said otherwise.
  init(_ arguments: String, watching watched: String = SystemCallStage.watched) throws {
    try XCTSkipUnless(
      try Shell.run("strace -qq -o /dev/null true").status == 0,
      "strace is not here, or may not trace; .ci/install installs it on Linux")
    directory = try TemporaryDirectory()
    self.arguments = arguments
    self.watched = watched
  }

  /// The calls of a run in peace, from the first on that knows the home; the home is `traced`.
  func calls() throws -> [TracedCall] {
    let log = directory.path("calls")
    let traced = try shell("strace -f -qq -o '\(log)' -e trace=\(watched) \(line("traced"))")
    XCTAssertEqual(traced.status, 0, traced.error)
    var counts: [Substring: Int] = [:]
    var calls: [TracedCall] = []
    for line in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n") {
      // `1234 openat(AT_FDCWD, "traced", …`
      guard let name = line.drop(while: { $0.isNumber || $0 == " " }).split(separator: "(").first,
        name.allSatisfy({ $0.isLetter || $0.isNumber })
      else { continue }
      counts[name, default: 0] += 1
      guard !calls.isEmpty || watched != Self.watched || line.contains("\"traced") else { continue }
      if name == "openat", !line.contains("O_CREAT") { continue }
      calls.append(TracedCall(name: String(name), number: counts[name, default: 0]))
    }
    try FileManager.default.removeItem(atPath: log)
    return calls
  }

  /// Runs the command line for the home, with something injected at the call, such as `signal=KILL`.
  func run(_ home: String, _ fault: String, at call: TracedCall, andLater: Bool = false) throws -> Shell.Answer {
    try shell(
      "strace -f -qq -o /dev/null -e trace=\(call.name) -e inject=\(call.name):\(fault):when=\(call.number)"
        + "\(andLater ? "+" : "") \(line(home))")
  }

  /// Runs the command line, or another one, in peace.
  func run(_ home: String, arguments: String? = nil) throws -> Shell.Answer {
    try shell(line(home, arguments.map { self.arguments.replacing("init", with: $0) }))
  }

  /// Everything that there is of the home.
  func names(_ home: String) throws -> [String] {
    let files = FileManager.default
    // Other homes come and go meanwhile.
    return try files.contentsOfDirectory(atPath: directory.url.path)
      .filter { $0 == home || $0.hasPrefix("\(home).") }.sorted()
      .flatMap { name in [name] + (files.subpaths(atPath: directory.path(name)) ?? []).sorted().map { "\(name)/\($0)" }
      }
  }

  func remove(_ home: String) throws {
    for name in try names(home) where !name.contains("/") {
      try FileManager.default.removeItem(atPath: directory.path(name))
    }
  }

  private func line(_ home: String, _ arguments: String? = nil) -> String {
    "gemctl --home \(home) \((arguments ?? self.arguments).replacing("HOME", with: home))"
  }

  // The trailing command keeps the shell from being replaced, so that a signal is a status and no end of the shell.
  private func shell(_ line: String) throws -> Shell.Answer {
    try Shell.run("cd '\(directory.url.path)'; \(line); exit $?")
  }
}
