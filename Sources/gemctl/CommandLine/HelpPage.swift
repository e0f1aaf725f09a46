/// The pages of `gemctl help`.
struct HelpPage {
  static let width = 80

  let style: Style
  var verbs = Verb.all

  /// Returns the page of a verb, of the verbs with this first word, or without words the page of `gemctl`.
  ///
  /// - Throws: ``UsageError`` if there is no such verb.
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

  /// Returns the page of `gemctl` itself.
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
    sections.append("For the options of a verb, see \"gemctl help VERB\".")
    return sections.joined(separator: "\n\n") + "\n"
  }

  /// Returns the page of a verb.
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
      "For the options of a verb, see for example \"gemctl help \(subverbs.first?.name ?? head)\".",
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
    ("GEMCTL_HOME", "Default of --home"),
    ("GEMCTL_STORAGE", "Default of --storage; hides a password from the process list"),
    ("GEMCTL_CUSTOMER", "Default of --customer"),
    ("GEMCTL_DELIVER", "Shell command that delivers paid orders to a game server"),
    ("NO_COLOR", "If set, no colours and no bold text"),
  ]

  private static let exitStatuses = [
    ("0", "Done, or a replay of a request with the same key"),
    ("1", "Unexpected error: a defect"),
    ("2", "Refused: insufficient balance, a condition, a limit, already exists"),
    ("3", "The purchase did not complete"),
    ("4", "The key was used for another request"),
    ("5", "Not found: customer, currency, product, item, offering, transaction, hold"),
    ("6", "The books do not add up"),
    ("64", "The command line cannot be understood, or an amount is out of range"),
    ("65", "The catalog has problems"),
    ("69", "Unavailable or unknown outcome: try again with the same key"),
    ("74", "The storage is damaged, foreign or too new, or a file cannot be used"),
    ("141", "The reader closed standard output"),
  ]

  private static let examples = [
    "gemctl init",
    "gemctl buy gems_1200 --customer alice",
    "gemctl spend GEM=50 --customer alice --key order-17",
    "gemctl balance GEM --customer alice --json",
    "gemctl verify",
  ]

  private static let globalsLine = """
    For the global options (--home, --storage, --json, --customer and more), see
    "gemctl help".
    """
}
