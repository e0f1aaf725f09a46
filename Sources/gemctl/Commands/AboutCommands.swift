import CommitOfBuild
import GemLedger

/// The verbs about `gemctl` itself.
enum AboutCommands {
  /// The version of the package.
  static let version = "0.1.0"

  static func help(_ invocation: Invocation) throws {
    let style = invocation.isJSON ? .plain : invocation.terminal.outputStyle
    try print(HelpPage(style: style).page(about: invocation.parsed.positionals), as: "help", invocation)
  }

  static func version(_ invocation: Invocation) throws {
    let commit = CommitOfBuild.text
    let document: JSONValue = ["version": .string(version), "commit": JSONValue(commit)]
    try invocation.terminal.output(
      invocation.isJSON
        ? document.text(.terminal) + "\n" : "gemctl \(version)\(commit.map { " (commit \($0))" } ?? "")\n")
  }

  static func completions(_ invocation: Invocation) throws {
    let parsed = invocation.parsed
    let shell = parsed.positionals.first.flatMap(CompletionScript.Shell.init(rawValue:))
    guard let shell else { throw UsageError("\"completions\" needs SHELL", verb: parsed.verb) }
    try print(CompletionScript(shell: shell).text, as: "script", invocation)
  }

  static func candidates(_ invocation: Invocation) throws {
    guard let kind = invocation.parsed.positionals.first.flatMap(Candidates.init(rawValue:)) else { return }
    let names = try invocation.withLedger { (ledger) throws(LedgerError) in
      try kind.names(in: ledger, of: invocation.customer)
    }
    try invocation.print(["names": .array(names.map(JSONValue.string))]) { _ in names.map { "\($0)\n" }.joined() }
  }

  private static func print(_ text: String, as name: String, _ invocation: Invocation) throws {
    guard invocation.isJSON else { return try invocation.terminal.output(text) }
    try invocation.terminal.output(JSONValue.object([name: .string(text)]).text(.terminal) + "\n")
  }
}
