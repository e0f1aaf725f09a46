/// The scripts of `gemctl completions`, made from the descriptions of the verbs.
struct CompletionScript {
  enum Shell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish
  }

  let shell: Shell
  var verbs = Verb.all

  var text: String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }
}

extension CompletionScript {
  var firstWords: [String] { Verb.firstWords(in: verbs) }

  /// The first words of two-word verbs.
  var heads: [String] { firstWords.filter { !Verb.subverbs(of: $0, in: verbs).isEmpty } }

  func secondWords(of head: String) -> [String] { Verb.subverbs(of: head, in: verbs).compactMap(\.words.last) }

  /// The names of all options with a value, global or of any verb.
  var valueOptionNames: [String] {
    var names: [String] = []
    for option in Option.global + verbs.flatMap(\.options) where option.value != nil && !names.contains(option.name) {
      names.append(option.name)
    }
    return names
  }

  /// The summary of a first word: its verb's summary, or the second words that it needs.
  func summary(ofFirstWord word: String) -> String {
    Verb.named(word, in: verbs)?.summary ?? "One of: \(secondWords(of: word).joined(separator: ", "))"
  }
}
