/// A parsed command line: the verb, and its arguments.
struct Parsed: Sendable {
  /// One option with its value, as given.
  struct Given: Hashable, Sendable {
    let name: String
    let value: String
  }

  let verb: Verb
  var positionals: [String] = []
  /// Options with values, in the order given.
  var options: [Given] = []
  /// Options without values, by their long names.
  var flags: Set<String> = []
}

extension Parsed {
  var isJSON: Bool { flags.contains("--json") }
  var isDryRun: Bool { flags.contains("--dry-run") }

  /// Whether the option was given, with or without a value.
  func has(_ name: String) -> Bool { flags.contains(name) || value(name) != nil }

  /// Returns the option's value, or nil if it was not given.
  func value(_ name: String) -> String? { options.first { $0.name == name }?.value }

  /// Returns the option's value as another type, or nil if it was not given.
  func value<Value, Failure>(
    _ name: String, _ read: (String) throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    guard let text = value(name) else { return nil }
    return try read(text)
  }

  /// Returns the value of an option that the verb requires.
  func required(_ name: String) -> String { value(name) ?? "" }

  /// Every value of a repeatable option, in the order given.
  func values(_ name: String) -> [String] { options.filter { $0.name == name }.map(\.value) }

  /// Returns the option's value as a whole number in the range, or nil if it was not given.
  ///
  /// - Throws: ``UsageError`` if the value is not written in plain digits or is out of the range.
  func integer(_ name: String, in range: ClosedRange<Int64>) throws(UsageError) -> Int64? {
    guard let text = value(name) else { return nil }
    if case .value(let number) = PlainNumber(text), range.contains(number) { return number }
    throw usageError(
      "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), in plain digits; got "
        + text.quotedForPeople)
  }

  /// An error about the options of the verb.
  func usageError(_ message: String) -> UsageError { UsageError(message, verb: verb) }

  /// Refuses options that only mean something with another option.
  func check(_ names: String..., goWith other: String) throws(UsageError) {
    if !has(other), let name = names.first(where: has) { throw usageError("\(name) goes with \(other)") }
  }

  /// Refuses two of these options together.
  func checkExcluding(_ names: String...) throws(UsageError) {
    let given = names.filter(has)
    if given.count > 1 { throw usageError("\(given[0]) and \(given[1]) exclude each other") }
  }
}
