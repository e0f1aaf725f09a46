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
