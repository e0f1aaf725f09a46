import XCTest

@testable import gemctl

/// The built binary, as a shell sees it.
final class ExecutableTests: XCTestCase {
  func testAnswersOnTheRightStreamWithTheRightStatus() throws {
    let help = HelpPage(style: .plain)
    let mistyped = ErrorReport(UsageError("unknown verb \"blance\"", suggestion: "balance"))
    let rows: [(line: UInt, script: String, status: Int32, output: String, error: String)] = [
      (#line, "gemctl", 0, help.main(), ""),
      (#line, "gemctl help", 0, help.main(), ""),
      (#line, "gemctl balance --help", 0, try help.page(about: ["balance"]), ""),
      (#line, "gemctl --version | cut -d' ' -f-2", 0, "gemctl \(AboutCommands.version)\n", ""),
      (#line, "gemctl version --json | cut -d, -f1", 0, "{\"version\":\"\(AboutCommands.version)\"\n", ""),
      (#line, "gemctl completions fish", 0, CompletionScript.fish.text, ""),
      (#line, "gemctl blance", 64, "", mistyped.rendered(asJSON: false)),
      (#line, "gemctl --json blance", 64, "", mistyped.rendered(asJSON: true)),
      (#line, "gemctl help blance", 64, "", mistyped.rendered(asJSON: false)),
    ]
    for row in rows {
      let expected = Shell.Answer(status: row.status, output: row.output, error: row.error)
      XCTAssertEqual(try Shell.run(row.script), expected, line: row.line)
    }
  }

  func testRefusesWordsThatAreNotUTF8() throws {
    let answer = try Shell.run(#"gemctl balance $'\xff'"#)
    XCTAssertEqual(answer.status, 64)
    XCTAssertTrue(answer.error.hasPrefix("error: argument 2 is not valid UTF-8.\n"), answer.error)
  }

  func testEndsQuietlyWhenTheReaderGoesAway() throws {
    let answer = try Shell.run(
      """
      directory=$(mktemp -d); mkfifo $directory/pipe
      true < $directory/pipe & reader=$!
      exec 3> $directory/pipe
      wait $reader; rm -r $directory
      gemctl help >&3; echo $?
      """)
    XCTAssertEqual(answer, Shell.Answer(status: 0, output: "\(Terminal.brokenPipeStatus)\n", error: ""))
  }

  func testFailsWhenTheOutputCannotBeWritten() throws {
    try XCTSkipUnless(try Shell.run("test -w /dev/full").status == 0, "there is no /dev/full")
    let answer = try Shell.run("gemctl help > /dev/full")
    XCTAssertEqual(answer.status, 74)
    XCTAssertEqual(answer.error, "error: Standard output cannot be written: No space left on device.\n")
  }
}
