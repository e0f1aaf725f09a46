extension Verb {
  /// Every verb, in the order in which help lists them within their groups.
  static let all: [Verb] = setUp + client + store + ledger + insight + run + help

  /// The verb with this whole name, or nil.
  static func named(_ name: String, in verbs: [Verb] = all) -> Verb? { verbs.first { $0.name == name } }

  /// The verbs whose name has two words and starts with this one.
  static func subverbs(of word: String, in verbs: [Verb] = all) -> [Verb] {
    verbs.filter { $0.name.hasPrefix("\(word) ") }
  }

  /// What can stand first on a command line: one-word verbs and the first words of the others, each once.
  static func firstWords(in verbs: [Verb] = all) -> [String] {
    var words: [String] = []
    for word in verbs.compactMap(\.words.first) where !words.contains(word) { words.append(word) }
    return words
  }
}
