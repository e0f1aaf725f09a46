import GemLedger

/// A command line that cannot be understood.
struct UsageError: Error, Hashable, Sendable {
  /// The problem, without a period at the end.
  let message: String
  /// The probably intended word, or nil.
  let suggestion: String?
  /// The name of the verb with the usage to show, or nil for that of `gemctl`.
  let verbName: String?

  /// `invalid_request`: such a command line never reached the ledger.
  static let code = LedgerError.Code.invalidRequest

  init(_ message: String, suggestion: String? = nil, verb: Verb? = nil) {
    self.message = message
    self.suggestion = suggestion
    self.verbName = verb?.name
  }

  /// The message as a sentence, with the question whether something else was meant.
  var sentence: String {
    guard let suggestion else { return "\(message)." }
    return "\(message). Did you mean \"\(suggestion)\"?"
  }

  /// Three lines of text: the error, the help command, and the usage.
  var text: String {
    let verb = verbName.flatMap { Verb.named($0) }
    let page = verb.map { "gemctl help \($0.name)" } ?? "gemctl help"
    return "error: \(sentence)\nSee \"\(page)\".\n\(UsageLine.short(verb))\n"
  }
}

/// `Usage:` lines.
enum UsageLine {
  /// One line, the forms side by side.
  static func short(_ verb: Verb?) -> String {
    guard let verb else { return "Usage: gemctl [OPTIONS] VERB [ARGUMENTS]" }
    return trimmed("Usage: gemctl \(verb.name) \(verb.forms.joined(separator: " | "))")
  }

  /// One line a form, aligned.
  static func block(_ verb: Verb) -> String {
    verb.forms.enumerated()
      .map { trimmed("\($0.offset == 0 ? "Usage:" : "      ") gemctl \(verb.name) \($0.element)") }
      .joined(separator: "\n")
  }

  // The empty form of a verb without arguments would leave a trailing space.
  private static func trimmed(_ line: String) -> String { line.hasSuffix(" ") ? String(line.dropLast()) : line }
}
