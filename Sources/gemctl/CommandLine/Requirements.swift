/// Checks that a verb has its required arguments and no unknown arguments.
struct Requirements {
  let verb: Verb
  var verbs = Verb.all

  func check(positionals: [String], options: [Parsed.Given]) throws(UsageError) {
    try checkCount(positionals)
    for (index, positional) in positionals.enumerated() {
      guard let argument = verb.argument(at: index), let words = argument.kind.words else { continue }
      guard words.contains(positional) else { throw .notOneOf(words, positional, for: argument.name, of: verb) }
    }
    for option in verb.options where option.isRequired && !options.contains(where: { $0.name == option.name }) {
      throw UsageError("\"\(verb.name)\" needs \(option.signature)", verb: verb)
    }
  }

  private func checkCount(_ positionals: [String]) throws(UsageError) {
    let required = verb.arguments.filter(\.arity.isRequired)
    if positionals.count < required.count {
      throw UsageError("\"\(verb.name)\" needs \(required[positionals.count].name)", verb: verb)
    }
    if !positionals.isEmpty, verb.argument(at: positionals.count - 1) == nil {
      let surplus = positionals[verb.arguments.count]
      throw UsageError(
        "\"\(verb.name)\" does not take the argument \(surplus.quotedForPeople)",
        suggestion: subverb(meant: surplus), verb: verb)
    }
  }
}

extension Requirements {
  /// Returns the two-word verb that a surplus word may mean, for verbs that also exist as one word.
  private func subverb(meant word: String) -> String? {
    let words = Verb.subverbs(of: verb.name, in: verbs).compactMap(\.words.last)
    return Suggestion.nearest(to: word, among: words).map { "\(verb.name) \($0)" }
  }
}

extension UsageError {
  static func unknownVerb(_ word: String, among verbs: [Verb]) -> Self {
    let nearest = Suggestion.nearest(to: word, among: Verb.firstWords(in: verbs))
    return Self("unknown verb \(word.quotedForPeople)", suggestion: nearest)
  }

  static func unknownSubverb(_ word: String, of head: String, among verbs: [Verb]) -> Self {
    let candidates = Verb.subverbs(of: head, in: verbs).compactMap(\.words.last)
    let message = "unknown verb \("\(head) \(word)".quotedForPeople)"
    guard let nearest = Suggestion.nearest(to: word, among: candidates) else {
      return Self("\(message); \"\(head)\" takes \(candidates.asChoice)")
    }
    return Self(message, suggestion: "\(head) \(nearest)")
  }

  static func missingSubverb(of head: String, among verbs: [Verb]) -> Self {
    Self("\"\(head)\" needs \(Verb.subverbs(of: head, in: verbs).compactMap(\.words.last).asChoice)")
  }

  static func unknownOption(_ name: String, of verb: Verb?, among verbs: [Verb]) -> Self {
    guard let verb else {
      if verbs.contains(where: { $0.option(named: name) != nil }) {
        return Self("\(name.quotedForPeople) must follow its verb")
      }
      let nearest = Suggestion.nearest(to: name, among: Option.global.map(\.name))
      return Self("unknown option \(name.quotedForPeople)", suggestion: nearest)
    }
    let nearest = Suggestion.nearest(to: name, among: (verb.options + Option.global).map(\.name))
    return Self("unknown option \(name.quotedForPeople) of \"\(verb.name)\"", suggestion: nearest, verb: verb)
  }

  static func notOneOf(_ words: [String], _ given: String, for name: String, of verb: Verb?) -> Self {
    Self(
      "\(name) takes \(words.asChoice), not \(given.quotedForPeople)",
      suggestion: Suggestion.nearest(to: given, among: words), verb: verb)
  }
}

extension [String] {
  /// `a, b or c`.
  fileprivate var asChoice: String {
    guard let last, count > 1 else { return first ?? "" }
    return "\(dropLast().joined(separator: ", ")) or \(last)"
  }
}
