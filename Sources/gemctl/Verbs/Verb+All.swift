extension Verb {
  /// Every verb, in the order in which help lists them within their groups.
  static let all: [Verb] =
    setUp + client + orderSteps + store + receipts + ledger + insight + run + server + maintenance + help

  /// The verb with this whole name, or nil.
  static func named(_ name: String, in verbs: [Verb] = all) -> Verb? { verbs.first { $0.name == name } }

  /// The verbs of two words that start with this word.
  static func subverbs(of word: String, in verbs: [Verb] = all) -> [Verb] {
    verbs.filter { $0.name.hasPrefix("\(word) ") }
  }

  /// The possible first words of a command line: one-word verbs and the first words of the others, without repeats.
  static func firstWords(in verbs: [Verb] = all) -> [String] {
    var words: [String] = []
    for word in verbs.compactMap(\.words.first) where !words.contains(word) { words.append(word) }
    return words
  }
}
