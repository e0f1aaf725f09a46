/// The pages of `gemctl help`.
struct HelpPage {
  static let width = 80

  let style: Style
  var verbs = Verb.all

  /// The page about the words: that of `gemctl` for none, of a verb, or of the verbs that begin with a word.
  ///
  /// - Throws: ``UsageError`` when there is no such verb.
  func page(about words: [String]) throws(UsageError) -> String {
    guard let head = words.first else { return main() }
    if let verb = Verb.named(words.joined(separator: " "), in: verbs) { return page(of: verb) }
    let subverbs = Verb.subverbs(of: head, in: verbs)
    if subverbs.isEmpty { throw .unknownVerb(words.joined(separator: " "), among: verbs) }
    guard words.count == 1 else {
      throw .unknownSubverb(words.dropFirst().joined(separator: " "), of: head, among: verbs)
    }
    return page(of: head, subverbs)
  }

  /// The page of `gemctl` itself.
  func main() -> String {
    var sections = [
      "gemctl: a ledger for virtual currency, with a simulated store",
      UsageLine.short(nil),
    ]
    for group in Verb.Group.allCases {
      let members = verbs.filter { $0.group == group }
      guard !members.isEmpty else { continue }
      sections.append(section(group.rawValue, list(members.map { ($0.name, $0.summary) }, termWidth: 14)))
    }
    sections.append(section("Options, before or after the verb", options(Option.global)))
    sections.append(section("Environment", list(Self.environment, termWidth: 17)))
    sections.append(section("Exit status", list(Self.exitStatuses, termWidth: 3)))
    sections.append(section("Examples", Self.examples.map { "  \($0)" }))
    sections.append("\"gemctl help VERB\" tells all about a verb.")
    return sections.joined(separator: "\n\n") + "\n"
  }

  /// The page of one verb.
  func page(of verb: Verb) -> String {
    var sections = [title(of: verb), UsageLine.block(verb)]
    if !verb.discussion.isEmpty {
      sections.append(Paragraph.wrapped(verb.discussion, width: Self.width).joined(separator: "\n"))
    }
    if !verb.arguments.isEmpty {
      sections.append(section("Arguments", entries(verb.arguments.map { ($0.signature, $0.help) })))
    }
    if !verb.options.isEmpty { sections.append(section("Options", options(verb.options))) }
    sections.append(section("Examples", verb.examples.map { "  \($0)" }))
    sections.append(Self.globalsLine)
    return sections.joined(separator: "\n\n") + "\n"
  }

  private func page(of head: String, _ subverbs: [Verb]) -> String {
    let sections = [
      "Usage: gemctl \(head) \(subverbs.compactMap(\.words.last).joined(separator: "|"))",
      section("Verbs", entries(subverbs.map { ($0.name, $0.summary) })),
      "\"gemctl help \(subverbs.first?.name ?? head)\" tells all about one of them.",
    ]
    return sections.joined(separator: "\n\n") + "\n"
  }

  private func title(of verb: Verb) -> String { "\(style.bold("gemctl \(verb.name)")): \(verb.summary)" }

  private func section(_ heading: String, _ lines: [String]) -> String {
    ([style.bold("\(heading):")] + lines).joined(separator: "\n")
  }

  private func options(_ options: [Option]) -> [String] {
    entries(
      options.map { option in
        let name = option.short.map { "\($0), \(option.signature)" } ?? option.signature
        let notes = [option.isRequired ? "required" : nil, option.isRepeatable ? "repeatable" : nil].compactMap { $0 }
        return (name, notes.isEmpty ? option.help : "\(option.help) (\(notes.joined(separator: ", ")))")
      })
  }

  /// A list with a left column as wide as its terms, up to a limit.
  private func entries(_ entries: [(String, String)]) -> [String] {
    list(entries, termWidth: min(26, entries.map { DisplayWidth.of($0.0) }.max() ?? 0))
  }

  private func list(_ entries: [(String, String)], termWidth: Int) -> [String] {
    Paragraph.list(entries.map { (term: $0.0, meaning: $0.1) }, termWidth: termWidth, width: Self.width)
  }
}

extension HelpPage {
  private static let environment = [
    ("GEMCTL_HOME", "The home, where --home does not name one"),
    ("GEMCTL_STORAGE", "As --storage, and keeps a password out of the list of processes"),
    ("GEMCTL_CUSTOMER", "The customer, where --customer does not name one"),
    ("GEMCTL_DELIVER", "The shell command that delivers paid orders to a game server"),
    ("NO_COLOR", "Set to anything: no colour and no bold"),
  ]

  private static let exitStatuses = [
    ("0", "Done, also where the same key had done it before"),
    ("1", "Something unexpected: a defect"),
    ("2", "Refused: insufficient balance, a condition, a limit, exists already"),
    ("3", "The purchase did not complete"),
    ("4", "The key was used for another request"),
    ("5", "Not found: customer, currency, product, item, offering, transaction, hold"),
    ("6", "The books do not add up"),
    ("64", "The command line cannot be understood, or an amount is out of range"),
    ("65", "The catalog has problems"),
    ("69", "Unavailable or not known: try again, with the same key"),
    ("74", "The storage is damaged, foreign or newer, or a file cannot be used"),
    ("141", "The reader of standard output went away"),
  ]

  private static let examples = [
    "gemctl init",
    "gemctl buy gems_1200 --customer alice",
    "gemctl spend GEM=50 --customer alice --key order-17",
    "gemctl balance GEM --customer alice --json",
    "gemctl verify",
  ]

  private static let globalsLine = """
    Takes the global options too (--home, --storage, --json, --customer and more):
    see "gemctl help".
    """
}
