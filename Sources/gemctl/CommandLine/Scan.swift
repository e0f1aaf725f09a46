/// One pass over the words, from left to right.
struct Scan {
  private let verbs: [Verb]
  private var words: ArraySlice<String>
  /// The first word of a verb that may have a second word, until that is known.
  private(set) var head: String?
  private var verb: Verb?
  private(set) var positionals: [String] = []
  private(set) var options: [Parsed.Given] = []
  private(set) var flags: Set<String> = []
  private(set) var optionsEnded = false
  /// The option at the end that has no value.
  private(set) var open: Option?

  init(verbs: [Verb], words: ArraySlice<String>) {
    self.verbs = verbs
    self.words = words
  }

  mutating func run() throws(UsageError) -> Parsed {
    while try step() {}
    return try finish()
  }

  /// Takes a word, or an option with its value; false if there is none left.
  mutating func step() throws(UsageError) -> Bool {
    guard let word = words.popFirst() else { return false }
    // A lone dash names standard input, by custom.
    if optionsEnded || word.utf8.first != UInt8(ascii: "-") || word == "-" {
      try take(word)
    } else if word == "--" {
      optionsEnded = true
    } else {
      try takeOption(word)
    }
    return true
  }

  private func finish() throws(UsageError) -> Parsed {
    if flags.contains("--help") {
      let topic = head.map { [$0] } ?? verb?.words ?? []
      return Parsed(verb: .showHelp, positionals: topic, options: options, flags: flags)
    }
    if flags.contains("--version") { return Parsed(verb: .showVersion, options: options, flags: flags) }
    let verb = try resolvedVerb()
    try check(verb)
    return Parsed(verb: verb, positionals: positionals, options: options, flags: flags)
  }
}

// MARK: Verbs

extension Scan {
  /// Checks that the verb has its required arguments and options, and no surplus argument.
  private func check(_ verb: Verb) throws(UsageError) {
    let required = verb.arguments.filter(\.arity.isRequired)
    if positionals.count < required.count {
      throw UsageError("\"\(verb.name)\" needs \(required[positionals.count].name)", verb: verb)
    }
    for (index, positional) in positionals.enumerated() {
      guard let argument = verb.argument(at: index) else {
        // It may mean the second word of a verb that is also a verb alone.
        let words = Verb.subverbs(of: verb.name, in: verbs).compactMap(\.words.last)
        throw UsageError(
          "\"\(verb.name)\" does not take the argument \(positional.quotedForPeople)",
          suggestion: Suggestion.nearest(to: positional, among: words).map { "\(verb.name) \($0)" }, verb: verb)
      }
      if let words = argument.kind.words, !words.contains(positional) {
        throw .notOneOf(words, positional, for: argument.name, of: verb)
      }
    }
    for option in verb.options where option.isRequired && !options.contains(where: { $0.name == option.name }) {
      throw UsageError("\"\(verb.name)\" needs \(option.signature)", verb: verb)
    }
  }

  private mutating func take(_ word: String) throws(UsageError) {
    if verb != nil {
      positionals.append(word)
    } else if let head {
      try chooseSubverb(word, of: head)
    } else if !Verb.subverbs(of: word, in: verbs).isEmpty {
      head = word
    } else if let found = Verb.named(word, in: verbs) {
      verb = found
    } else {
      throw .unknownVerb(word, among: verbs)
    }
  }

  private mutating func chooseSubverb(_ word: String, of head: String) throws(UsageError) {
    self.head = nil
    if let found = Verb.named("\(head) \(word)", in: verbs) {
      verb = found
    } else if let plain = Verb.named(head, in: verbs) {
      verb = plain
      positionals.append(word)
    } else {
      throw .unknownSubverb(word, of: head, among: verbs)
    }
  }

  /// The verb if no word follows.
  var plainVerb: Verb? { verb ?? head.flatMap { Verb.named($0, in: verbs) } }

  /// What the next word may be, if it is no option.
  var nextKind: ValueKind {
    guard let verb else { return .verb }
    return verb.argument(at: positionals.count)?.kind ?? .text
  }

  private func resolvedVerb() throws(UsageError) -> Verb {
    if let plainVerb { return plainVerb }
    guard let head else { throw UsageError("a verb is missing") }
    throw .missingSubverb(of: head, among: verbs)
  }
}

// MARK: Options

extension Scan {
  private mutating func takeOption(_ word: String) throws(UsageError) {
    // By bytes, as identifiers are compared: a combining mark after the sign would hide it among characters.
    let equals = word.utf8.firstIndex(of: UInt8(ascii: "="))
    let option = try option(named: equals.map { String(word[..<$0]) } ?? word)
    let inline = equals.map { String(word[word.utf8.index(after: $0)...]) }
    guard let placeholder = option.value else {
      guard inline == nil else { throw UsageError("\(option.name) takes no value", verb: verb) }
      flags.insert(option.name)
      return
    }
    let value = if let inline { inline } else { try nextValue(of: option, placeholder: placeholder) }
    try accept(value, for: option)
  }

  private mutating func option(named name: String) throws(UsageError) -> Option {
    if let option = Option.global.first(where: { $0.answers(to: name) }) { return option }
    // After an option of the verb itself no second word of the verb can follow.
    if verb == nil, let plain = head.flatMap({ Verb.named($0, in: verbs) }) { (verb, head) = (plain, nil) }
    guard let option = verb?.option(named: name) else { throw .unknownOption(name, of: verb, among: verbs) }
    return option
  }

  private mutating func nextValue(of option: Option, placeholder: String) throws(UsageError) -> String {
    guard let next = words.first else {
      open = option
      throw UsageError("\(option.name) needs a value: \(option.name) \(placeholder)", verb: verb)
    }
    // One cursor in 64 begins with a dash.
    let isCursor = placeholder == "CURSOR" && !isOption(next)
    guard next.utf8.first != UInt8(ascii: "-") || isCursor else {
      throw UsageError(
        "\(option.name) needs a value, and \(next.quotedForPeople) begins with a dash; "
          + "write \(option.name)=\(placeholder) to use it as the value",
        verb: verb)
    }
    words.removeFirst()
    return next
  }

  private func isOption(_ word: String) -> Bool { optionIfAny(named: word) != nil }

  /// The option of that name on this line.
  func optionIfAny(named name: String) -> Option? {
    Option.global.first { $0.answers(to: name) } ?? plainVerb?.option(named: name)
  }

  private mutating func accept(_ value: String, for option: Option) throws(UsageError) {
    // Nearly always an unset variable in a script; going on without the option would do something else than asked.
    guard !value.isEmpty else { throw UsageError("\(option.name) needs a value, not an empty text", verb: verb) }
    guard option.isRepeatable || !options.contains(where: { $0.name == option.name }) else {
      throw UsageError("\(option.name) is given twice", verb: verb)
    }
    if let words = option.kind.words, !words.contains(value) {
      throw .notOneOf(words, value, for: option.name, of: verb)
    }
    options.append(Parsed.Given(name: option.name, value: value))
  }
}
