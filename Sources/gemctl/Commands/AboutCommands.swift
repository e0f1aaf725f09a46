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
    guard let script = CompletionScript(rawValue: invocation.parsed.positionals[0]) else { return }
    try print(script.text, as: "script", invocation)
  }

  static func complete(_ invocation: Invocation) throws {
    let (shell, words) = (invocation.parsed.positionals[0], Array(invocation.parsed.positionals.dropFirst()))
    let isBash = shell == CompletionScript.bash.rawValue
    let line = LineCompletion(isBash ? LineCompletion.joined(words) : words)
    let parsed = Parsed(verb: invocation.parsed.verb, options: line.options)
    let settings = try GlobalSettings(parsed, environment: Environment.checked)
    let current = Invocation(parsed: parsed, settings: settings, terminal: invocation.terminal)
    let lines = line.lines(withDescriptions: !isBash) { kind in
      // Without a home there are no names.
      (try? names(kind, current)) ?? []
    }
    try invocation.terminal.output(lines.map { "\($0)\n" }.joined())
  }

  static func candidates(_ invocation: Invocation) throws {
    guard let kind = invocation.parsed.positionals.first.flatMap(Candidates.init(rawValue:)) else { return }
    let names = try names(kind, invocation)
    try invocation.print(["names": .array(names.map(JSONValue.string))]) { _ in names.map { "\($0)\n" }.joined() }
  }

  private static func names(_ kind: Candidates, _ invocation: Invocation) throws(LedgerError) -> [String] {
    try invocation.withLedger { (ledger) throws(LedgerError) in
      try kind.names(in: ledger, of: invocation.customer)
    }
  }

  private static func print(_ text: String, as name: String, _ invocation: Invocation) throws {
    guard invocation.isJSON else { return try invocation.terminal.output(text) }
    try invocation.terminal.output(JSONValue.object([name: .string(text)]).text(.terminal) + "\n")
  }
}
