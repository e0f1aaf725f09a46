/// Understands command lines.
enum Parser {
  /// The command that the arguments (without the program's name) ask for.
  ///
  /// `--help` and `--version` become the verbs of those names, and so does a command line without any word.
  static func parse(_ arguments: [String], verbs: [Verb] = Verb.all) throws(UsageError) -> Parsed {
    guard !arguments.isEmpty else { return Parsed(verb: .showHelp) }
    var scan = Scan(verbs: verbs, words: arguments[...])
    return try scan.run()
  }

  /// Returns whether `--json` is given, even if the rest of the line is invalid.
  static func asksForJSON(_ arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains("--json")
  }
}
