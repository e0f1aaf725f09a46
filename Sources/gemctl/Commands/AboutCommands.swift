/// The verbs that tell about `gemctl` itself.
enum AboutCommands {
  /// The version of the package.
  static let version = "0.1.0"

  static func help(_ parsed: Parsed, on terminal: Terminal) throws {
    let style = parsed.isJSON ? .plain : terminal.outputStyle
    try print(HelpPage(style: style).page(about: parsed.positionals), as: "help", parsed, on: terminal)
  }

  static func version(_ parsed: Parsed, on terminal: Terminal) throws {
    let text = parsed.isJSON ? version : "gemctl \(version)\n"
    try print(text, as: "version", parsed, on: terminal)
  }

  static func completions(_ parsed: Parsed, on terminal: Terminal) throws {
    let shell = parsed.positionals.first.flatMap(CompletionScript.Shell.init(rawValue:))
    guard let shell else { throw UsageError("\"completions\" needs SHELL", verb: parsed.verb) }
    try print(CompletionScript(shell: shell).text, as: "script", parsed, on: terminal)
  }

  private static func print(_ text: String, as name: String, _ parsed: Parsed, on terminal: Terminal) throws {
    guard parsed.isJSON else { return try terminal.output(text) }
    try terminal.output(JSONText.object([(name, JSONText.string(text))]) + "\n")
  }
}
