#if os(Linux)
import Foundation
import XCTest

/// The runner with bundles that misbehave: no test is lost, and no failure looks like a success.
final class RunnerTests: XCTestCase {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("runner-\(UUID().uuidString)")

  override func setUpWithError() throws {
    for name in ["logs", "temporary"] {
      try FileManager.default.createDirectory(
        at: directory.appendingPathComponent(name), withIntermediateDirectories: true)
    }
  }

  override func tearDownWithError() throws { try FileManager.default.removeItem(at: directory) }

  /// A program that lists and runs the tests A to D as a bundle does.
  ///
  /// - Parameter afterTest: What the shell does after each test, the name of which is `$n`.
  private func bundle(list: String = "A B C D", afterTest: String = ":") throws -> Process {
    let script = """
      #!/bin/bash
      if [ "$1" = --list-tests ]; then
        echo "Listing 4 tests in debug.xctest:"
        for t in \(list); do echo "M.CTests/test$t"; done
        exit
      fi
      for t in $(tr , ' ' <<<"$1"); do
        n="${t##*/}"
        echo "Test Case 'CTests.$n' started at now"
        echo "Test Case 'CTests.$n' passed (0.001 seconds)"
        \(afterTest)
      done
      """
    let path = directory.appendingPathComponent("bundle").path
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("gemtest")
    process.arguments = [path, "--times", "none", "--logs", directory.path + "/logs"]
    process.arguments? += ["--temporary", directory.path + "/temporary"]
    return process
  }

  private func run(_ process: Process) throws -> (status: Int32, lastLine: String) {
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text.split(separator: "\n").last.map(String.init) ?? "")
  }

  func testEndings() throws {
    let once = directory.appendingPathComponent("once").path
    let crash = #"[ "$n" != testB ] || [ -e \#(once) ] || { touch \#(once); kill -SEGV $$; }"#
    let rows: [(line: UInt, afterTest: String, status: Int32, counts: String)] = [
      (#line, ":", 0, "Executed 4 tests, with 0 failures (0 unexpected)"),
      // A crash between tests is of the test before it, and the tests after it run.
      (#line, crash, 1, "Executed 4 tests, with 1 failure (1 unexpected)"),
      (#line, #"[ "$n" != testD ] || exit 1"#, 1, "Executed 4 tests, with 1 failure (1 unexpected)"),
      (#line, #"[ "$n" != testD ] || kill -SEGV $$"#, 1, "Executed 4 tests, with 1 failure (1 unexpected)"),
      // Two tests are never reported.
      (#line, #"[ "$n" != testB ] || exit 0"#, 1, "Executed 4 tests, with 2 failures (2 unexpected)"),
    ]
    for row in rows {
      let ended = try run(bundle(afterTest: row.afterTest))
      XCTAssertEqual(ended.status, row.status, line: row.line)
      XCTAssertTrue(ended.lastLine.hasPrefix(row.counts), ended.lastLine, line: row.line)
    }
  }

  /// False also for a process that has ended and whose parent has not asked yet.
  private func isRunning(_ process: Int32) -> Bool {
    let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return !text.isEmpty && !text.contains(") Z ")
  }

  func testAListThatBreaksOffIsNoRun() throws { XCTAssertEqual(try run(bundle(list: "A B C")).status, 64) }

  /// What the tests started ends with the run, and their files go.
  func testASignalEndsAllProcesses() throws {
    let started = directory.appendingPathComponent("started").path
    let process = try bundle(afterTest: "sleep 600 & echo $! > \(started); wait")
    try process.run()
    let deadline = ContinuousClock.now + .seconds(60)
    var child = ""
    while child.isEmpty, ContinuousClock.now < deadline {
      child = (try? String(contentsOfFile: started, encoding: .utf8)) ?? ""
    }
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 128 + SIGTERM)
    let number = try XCTUnwrap(Int32(child.trimmingCharacters(in: .whitespacesAndNewlines)))
    while isRunning(number), ContinuousClock.now < deadline {}
    XCTAssertFalse(isRunning(number))
    XCTAssertFalse(FileManager.default.fileExists(atPath: directory.path + "/temporary"))
  }
}
#endif
