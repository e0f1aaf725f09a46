/// The words of the process's command line.
enum ProcessArguments {
  /// The words without the program's name; nil for one that is not UTF-8.
  ///
  /// `CommandLine.arguments` would repair such a word silently, so that two customers could share an id.
  static func words() -> [String?] {
    let count = Int(CommandLine.argc)
    guard count > 1 else { return [] }
    return (1..<count).map { index in
      CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
    }
  }

  /// Returns the words if all of them are UTF-8.
  static func checked(_ words: [String?]) throws(UsageError) -> [String] {
    var checked: [String] = []
    for (index, word) in words.enumerated() {
      guard let word else { throw UsageError("argument \(index + 1) is not valid UTF-8") }
      checked.append(word)
    }
    return checked
  }
}
