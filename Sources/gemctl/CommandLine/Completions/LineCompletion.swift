/// The words that may continue an unfinished command line.
struct LineCompletion {
  /// A word with its description.
  typealias Offer = (word: String, about: String)

  private let verbs = Verb.all
  /// The options before the last word, with their values.
  private(set) var options: [Parsed.Given] = []
  private var flags: Set<String> = []
  private var verbWords: [String] = []
  private var positionals: [String] = []
  private var optionsEnded = false
  /// The option whose value the last word is.
  private var open: Option?
  private let current: String

  /// - Parameter words: The words after the program's name up to the cursor; the last word may be empty.
  init(_ words: [String]) {
    current = words.last ?? ""
    for word in words.dropLast() { take(word) }
  }

  /// Joins the words that bash splits at "=" and ":".
  static func joined(_ parts: [String]) -> [String] {
    var words: [String] = []
    var isOpen = false
    for part in parts {
      let isSign = part == "=" || part == ":"
      if isOpen || isSign, let last = words.popLast() { words.append(last + part) } else { words.append(part) }
      // A path or a value follows the sign, but nothing follows "memory:".
      isOpen = isSign && words.last?.hasSuffix("memory:") == false
    }
    return words
  }

  private mutating func take(_ word: String) {
    if let option = open {
      give(option.name, word)
      open = nil
    } else if optionsEnded || word == "-" || !word.hasPrefix("-") {
      takeWord(word)
    } else if word == "--" {
      optionsEnded = true
    } else if let equals = word.firstIndex(of: "=") {
      give(String(word[..<equals]), String(word[word.index(after: equals)...]))
    } else if let option = option(named: word) {
      if option.value == nil { flags.insert(option.name) } else { open = option }
    }
  }

  private mutating func give(_ option: String, _ value: String) {
    // The shell has not expanded the word.
    let home = value.hasPrefix("~/") ? Environment.value("HOME") : nil
    options.append(Parsed.Given(name: option, value: home.map { $0 + value.dropFirst() } ?? value))
  }

  private mutating func takeWord(_ word: String) {
    if verbWords.isEmpty || verbWords.count == 1 && positionals.isEmpty && secondWords(of: verbWords[0]).contains(word)
    {
      verbWords.append(word)
    } else {
      positionals.append(word)
    }
  }

  private var verb: Verb? { Verb.named(verbWords.joined(separator: " "), in: verbs) }

  private func option(named name: String) -> Option? {
    verb?.option(named: name) ?? (Option.global + verbs.flatMap(\.options)).first { $0.answers(to: name) }
  }
}

// MARK: Offers

extension LineCompletion {
  /// Returns the lines for a script: a word, a tab and its description; or a tab and the kind of files to offer.
  ///
  /// - Parameter names: Lists the names in the home of one kind.
  func lines(withDescriptions: Bool, _ names: (Candidates) -> [String]) -> [String] {
    if let option = open { return lines(option.kind, current, withDescriptions, names) }
    guard !optionsEnded, current.hasPrefix("-") else {
      return lines(wordKind, current, withDescriptions, names)
    }
    if let equals = current.firstIndex(of: "=") {
      guard let option = option(named: String(current[..<equals])) else { return [] }
      return lines(option.kind, String(current[current.index(after: equals)...]), withDescriptions, names)
    }
    let given = flags.union(options.map(\.name))
    let free = ((verb?.options ?? []) + Option.global).filter { $0.isRepeatable || !given.contains($0.name) }
    return Self.lines(free.map { ($0.name, $0.help) }, current, withDescriptions)
  }

  private func lines(
    _ kind: ValueKind, _ begin: String, _ withDescriptions: Bool, _ names: (Candidates) -> [String]
  ) -> [String] {
    switch kind {
    case .text: []
    case .file: ["\tfiles"]
    case .directory: ["\tdirectories"]
    case .verb: Self.lines(topics, begin, withDescriptions)
    case .oneOf(let words): Self.lines(words.map { ($0, "") }, begin, withDescriptions)
    case .name(let kind): Self.lines(names(kind).map { ($0, "") }, begin, withDescriptions)
    }
  }

  private static func lines(_ offers: [Offer], _ begin: String, _ withDescriptions: Bool) -> [String] {
    offers.filter { $0.word.hasPrefix(begin) }
      .map { $0.about.isEmpty || !withDescriptions ? $0.word : "\($0.word)\t\($0.about)" }
  }

  /// What a word that is no option may be.
  private var wordKind: ValueKind {
    let isVerb = verbWords.isEmpty || verbWords.count == 1 && positionals.isEmpty && hasSecondWords(verbWords[0])
    return isVerb ? .verb : verb?.argument(at: positionals.count)?.kind ?? .text
  }

  /// The next words of the verb that the line names, or that it asks help for.
  private var topics: [Offer] {
    let before = verb?.arguments.first?.kind == .verb ? positionals : verbWords
    switch before.count {
    case 0: return Verb.firstWords(in: verbs).map { ($0, about($0)) }
    case 1: return Verb.subverbs(of: before[0], in: verbs).map { ($0.words.last ?? "", $0.summary) }
    default: return []
    }
  }

  private func secondWords(of head: String) -> [String] { Verb.subverbs(of: head, in: verbs).compactMap(\.words.last) }

  private func hasSecondWords(_ head: String) -> Bool { !Verb.subverbs(of: head, in: verbs).isEmpty }

  /// The summary of a first word: its verb's summary, or the second words that it needs.
  private func about(_ word: String) -> String {
    Verb.named(word, in: verbs)?.summary ?? "One of: \(secondWords(of: word).joined(separator: ", "))"
  }
}
