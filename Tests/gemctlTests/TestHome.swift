import Foundation
import XCTest

/// A home of its own for one test, in a directory that is gone afterwards.
///
/// Values that differ from run to run are written as a word: `<id>` for ids in time order, `<time>`, `<anonymous>`,
/// `<dir>`.
final class TestHome {
  private let directory: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("gemctl-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    directory = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }  // A directory left behind harms nobody.

  /// Runs the script inside the directory; a home there is the default one.
  func run(_ script: String) throws -> Shell.Answer {
    let answer = try raw(script)
    return Shell.Answer(
      status: answer.status, output: normalized(answer.output), error: normalized(answer.error))
  }

  /// The same, as it came.
  func raw(_ script: String) throws -> Shell.Answer { try Shell.run("cd '\(directory)'\n\(script)") }

  /// A file in the directory.
  func path(_ name: String) -> String { "\(directory)/\(name)" }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
  }

  private func normalized(_ text: String) -> String {
    text.replacing(/\/[^ "]*gemctl-demo-\w{6}/, with: "<demo>")
      .replacing(directory, with: "<dir>")
      .replacing(/[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "<id>")
      .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "<time>")
      .replacing(/\$RCAnonymousID:[0-9a-f]{32}/, with: "<anonymous>")
      .replacing(/\b2\d{15}\b/, with: "<store id>")
      .replacing(/[0-9a-f]{24}/, with: "<cursor>")
  }
}

/// One command line and everything that it answers.
struct Row {
  let line: UInt
  let script: String
  let status: Int32
  let output: String
  let error: String

  init(_ script: String, _ status: Int32 = 0, output: String = "", error: String = "", line: UInt = #line) {
    self.script = script
    self.status = status
    self.output = output
    self.error = error
    self.line = line
  }

  /// Runs the rows one after the other in one home; with `errorsBegin` the errors given are the beginnings of the
  /// printed ones.
  static func check(
    _ rows: [Row], in home: TestHome, errorsBegin: Bool = false, file: StaticString = #filePath
  ) throws {
    for row in rows {
      var answer = try home.run(row.script)
      if errorsBegin, answer.error.hasPrefix(row.error), !row.error.isEmpty { answer.error = row.error }
      let expected = Shell.Answer(status: row.status, output: row.output, error: row.error)
      XCTAssertEqual(answer, expected, row.script, file: file, line: row.line)
    }
  }
}
