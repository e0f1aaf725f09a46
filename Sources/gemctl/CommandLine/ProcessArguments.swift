/// The words of the process's command line.
enum ProcessArguments {
  /// The words without the program's name; nil for one that is not UTF-8.
  ///
  /// `CommandLine.arguments` would mend such a word silently, and two customers could become one.
  static func words() -> [String?] {
    let count = Int(CommandLine.argc)
    guard count > 1 else { return [] }
    return (1..<count).map { index in
      CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
    }
  }

  /// The words, where all of them are UTF-8.
  static func checked(_ words: [String?]) throws(UsageError) -> [String] {
    var checked: [String] = []
    for (index, word) in words.enumerated() {
      guard let word else { throw UsageError("argument \(index + 1) is not valid UTF-8") }
      checked.append(word)
    }
    return checked
  }
}
