/// The words that may continue an unfinished command line.
struct LineCompletion {
  private var scan: Scan
  /// Whether the words before the last have an error; nothing can correct it.
  private let isWrong: Bool
  private let current: String

  /// - Parameter words: The words after the program's name up to the cursor; the last word may be empty.
  init(_ words: [String]) {
    current = words.last ?? ""
    var scan = Scan(verbs: Verb.all, words: words.dropLast())
    var isWrong = false
    do throws(UsageError) { while try scan.step() {} } catch { isWrong = scan.open == nil }
    (self.scan, self.isWrong) = (scan, isWrong)
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

  /// The options before the last word; the shell has not expanded their values.
  var options: [Parsed.Given] {
    scan.options.map { option in
      let home = option.value.hasPrefix("~/") ? Environment.value("HOME") : nil
      return Parsed.Given(name: option.name, value: home.map { $0 + option.value.dropFirst() } ?? option.value)
    }
  }
}

// MARK: Offers

extension LineCompletion {
  /// A word with its description.
  private typealias Offer = (word: String, about: String)

  /// Returns the lines for a script: a word, a tab and its description; or a tab and the kind of files to offer.
  ///
  /// - Parameter names: Lists the names in the home of one kind.
  func lines(withDescriptions: Bool, _ names: (Candidates) -> [String]) -> [String] {
    let (kind, begin) = open
    let offers: [Offer]
    switch kind {
    case .text: return []
    case .file: return ["\tfiles"]
    case .directory: return ["\tdirectories"]
    case .verb: offers = begin.hasPrefix("-") ? freeOptions : topics
    case .oneOf(let words): offers = words.map { ($0, "") }
    case .name(let kind): offers = names(kind).map { ($0, "") }
    }
    return offers.filter { $0.word.hasPrefix(begin) }
      .map { $0.about.isEmpty || !withDescriptions ? $0.word : "\($0.word)\t\($0.about)" }
  }

  /// The possible values of the last word, or of its part after an option's name.
  private var open: (kind: ValueKind, begin: String) {
    if isWrong { return (.text, current) }
    if let option = scan.open { return (option.kind, current) }
    guard !scan.optionsEnded, current.hasPrefix("-") else { return (scan.nextKind, current) }
    guard let equals = current.firstIndex(of: "=") else { return (.verb, current) }
    let option = scan.optionIfAny(named: String(current[..<equals]))
    return (option?.kind ?? .text, String(current[current.index(after: equals)...]))
  }

  private var freeOptions: [Offer] {
    let given = scan.flags.union(scan.options.map(\.name))
    let options = (scan.plainVerb?.options ?? []) + Option.global
    return options.filter { $0.isRepeatable || !given.contains($0.name) }.map { ($0.name, $0.help) }
  }

  /// The next words of the verb that the line names, or that it asks help for.
  private var topics: [Offer] {
    guard let head = scan.head ?? scan.positionals.first else {
      return Verb.firstWords().map { ($0, about($0)) }
    }
    guard scan.positionals.count < 2 else { return [] }
    return Verb.subverbs(of: head).map { ($0.words.last ?? "", $0.summary) }
  }

  /// The summary of a first word: its verb's summary, or the second words that it needs.
  private func about(_ word: String) -> String {
    let words = Verb.subverbs(of: word).compactMap(\.words.last)
    return Verb.named(word)?.summary ?? "One of: \(words.joined(separator: ", "))"
  }
}
