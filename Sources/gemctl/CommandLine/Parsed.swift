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

  /// Returns the option's value, or nil if it was not given.
  func value(_ name: String) -> String? { options.first { $0.name == name }?.value }

  /// Every value of a repeatable option, in the order given.
  func values(_ name: String) -> [String] { options.filter { $0.name == name }.map(\.value) }

  /// Returns the option's value as a whole number in the range, or nil if it was not given.
  ///
  /// - Throws: ``UsageError`` if the value is not written in plain digits or is out of the range.
  func integer(_ name: String, in range: ClosedRange<Int64>) throws(UsageError) -> Int64? {
    guard let text = value(name) else { return nil }
    if case .value(let number) = PlainNumber(text), range.contains(number) { return number }
    throw UsageError(
      "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), in plain digits; got "
        + text.quotedForPeople,
      verb: verb)
  }
}
