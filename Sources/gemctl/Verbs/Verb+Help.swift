extension Verb {
  /// Verbs about `gemctl` itself.
  static let help = [showHelp, showVersion, completions, candidates]

  static let showHelp = Verb(
    name: "help", group: .help, summary: "Show help for gemctl or for a verb",
    arguments: [
      Argument("VERB", arity: .zeroOrMore, kind: .verb, help: "Verb, for example balance (default: an overview)")
    ],
    examples: ["gemctl help", "gemctl help balance", "gemctl help catalog apply"]
  ) { try AboutCommands.help($0) }

  static let showVersion = Verb(
    name: "version", group: .help, summary: "Show the version", examples: ["gemctl version"]
  ) { try AboutCommands.version($0) }

  static let candidates = Verb(
    name: "candidates", group: .help, summary: "List the names that completions offer",
    arguments: [
      Argument(
        "KIND", kind: .oneOf(Candidates.allCases.map(\.rawValue)),
        help: "\(Candidates.allCases.map(\.rawValue).joined(separator: ", "))")
    ],
    examples: ["gemctl candidates products"],
    discussion: "The scripts of \"completions\" offer these names. It lists at most 1000 names."
  ) { try AboutCommands.candidates($0) }

  static let completions = Verb(
    name: "completions", group: .help, summary: "Print the completion script for a shell",
    arguments: [Argument("SHELL", kind: .oneOf(CompletionScript.names), help: "bash, zsh or fish")],
    examples: [
      "source <(gemctl completions bash)",
      "gemctl completions zsh > \"${fpath[1]}/_gemctl\"",
      "gemctl completions fish > ~/.config/fish/completions/gemctl.fish",
    ]
  ) { try AboutCommands.completions($0) }

  /// The verb that the scripts of `completions` call; lists and help do not have it.
  static let complete = Verb(
    name: "__complete", group: .help, summary: "Print the words that may continue a command line",
    arguments: [
      Argument("SHELL", kind: .oneOf(CompletionScript.names), help: "Shell of the script"),
      Argument("WORD", arity: .zeroOrMore, help: "Words of the line up to the cursor"),
    ],
    examples: ["gemctl __complete bash -- catalog a"]
  ) { try AboutCommands.complete($0) }
}
