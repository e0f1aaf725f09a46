/// A verb of `gemctl`, as data: parsing, help and completions all read the same description.
struct Verb: Sendable {
  /// The section of the verb in the list of verbs; the raw value is the heading.
  enum Group: String, CaseIterable, Sendable {
    case setUp = "Set up"
    case client = "Client"
    case store = "Store"
    case ledger = "Ledger"
    case insight = "Insight"
    case run = "Run"
    case help = "Help"
  }

  /// One word, or two for a subverb such as `catalog show`.
  let name: String
  let group: Group
  /// The verb's action, in the imperative and without a period.
  let summary: String
  /// The forms for `Usage:`, if the form derived from arguments and options is not clear enough.
  var statedForms: [String] = []
  var arguments: [Argument] = []
  var options: [Option] = []
  /// Whole command lines, at least one.
  let examples: [String]
  /// Paragraphs for the page of the verb, separated by empty lines.
  var discussion = ""
  /// Does the work; the exit status is 0 unless it throws.
  let run: @Sendable (Invocation) throws -> Void
}

extension Verb {
  /// The name's one or two words.
  var words: [String] { name.split(separator: " ").map(String.init) }

  /// The texts after `gemctl NAME` in the usage lines, one per form.
  var forms: [String] { statedForms.isEmpty ? [derivedForm] : statedForms }

  /// Returns the option of the verb or the global option with this name, or nil.
  func option(named name: String) -> Option? {
    Option.global.first { $0.answers(to: name) } ?? options.first { $0.answers(to: name) }
  }

  /// Returns the argument of the positional at this index; a repeating last argument takes all further positionals.
  func argument(at index: Int) -> Argument? {
    if index < arguments.count { return arguments[index] }
    guard let last = arguments.last, last.arity.repeats else { return nil }
    return last
  }

  private var derivedForm: String {
    let required = options.filter(\.isRequired).map(\.signature)
    let optional = options.filter { !$0.isRequired }.map { "[\($0.signature)]" }
    // More than two would push the line past its width; the page lists them anyway.
    let shown = optional.count > 2 ? ["[OPTIONS]"] : optional
    return (arguments.map(\.signature) + required + shown).joined(separator: " ")
  }
}

/// A positional argument of a verb.
struct Argument: Sendable {
  /// How many positionals it takes.
  enum Arity: Sendable {
    case required
    case optional
    case oneOrMore
    case zeroOrMore

    var repeats: Bool { self == .oneOrMore || self == .zeroOrMore }
    var isRequired: Bool { self == .required || self == .oneOrMore }
  }

  /// In capitals, as usage lines show it.
  let name: String
  let arity: Arity
  let kind: ValueKind
  let help: String

  init(_ name: String, arity: Arity = .required, kind: ValueKind = .text, help: String) {
    self.name = name
    self.arity = arity
    self.kind = kind
    self.help = help
  }

  /// The argument in a usage line, such as `[CODE]`.
  var signature: String {
    let name = arity.repeats ? "\(name)..." : name
    return arity.isRequired ? name : "[\(name)]"
  }
}

/// An option: a flag, or a name with a value.
struct Option: Sendable {
  /// With its two dashes.
  let name: String
  /// A second, one-letter name such as `-h`.
  let short: String?
  /// The value's name in usage lines; nil for a flag.
  let value: String?
  let kind: ValueKind
  let isRepeatable: Bool
  let isRequired: Bool
  let help: String

  init(
    _ name: String, _ value: String? = nil, short: String? = nil, kind: ValueKind = .text, isRepeatable: Bool = false,
    isRequired: Bool = false, help: String
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.kind = kind
    self.isRepeatable = isRepeatable
    self.isRequired = isRequired
    self.help = help
  }

  /// The option in a usage line, such as `--key KEY`.
  var signature: String {
    guard let value else { return name }
    return "\(name) \(value)"
  }

  func answers(to name: String) -> Bool { name == self.name || name == short }
}

/// The allowed values of a positional or an option: the parser refuses other words, completions offer these.
enum ValueKind: Hashable, Sendable {
  case text
  case file
  case directory
  case verb
  case oneOf([String])
  /// A name in the home, which "gemctl candidates" lists.
  case name(Candidates)

  /// The allowed words, or nil if any text is allowed.
  var words: [String]? {
    guard case .oneOf(let words) = self else { return nil }
    return words
  }
}
