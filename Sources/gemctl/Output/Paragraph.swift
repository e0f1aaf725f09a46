/// Lays out prose and lists within a width.
enum Paragraph {
  /// The text in lines of at most the width, broken between words; an empty line between paragraphs stays.
  static func wrapped(_ text: String, width: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
      var lines = [""]
      for word in paragraph.split(separator: " ") {
        let line = lines[lines.count - 1]
        if line.isEmpty {
          lines[lines.count - 1] = String(word)
        } else if DisplayWidth.of(line) + 1 + DisplayWidth.of(String(word)) <= width {
          lines[lines.count - 1] = "\(line) \(word)"
        } else {
          lines.append(String(word))
        }
      }
      return lines
    }
  }

  /// Lists terms on the left and their meanings in a right column; the meaning of a long term is on the next line.
  static func list(_ entries: [(term: String, meaning: String)], termWidth: Int, width: Int) -> [String] {
    entries.flatMap { entry in
      let meaning = wrapped(entry.meaning, width: width - termWidth - 4)
      let indent = String(repeating: " ", count: termWidth + 4)
      let rest = meaning.dropFirst().map { indent + $0 }
      let room = termWidth - DisplayWidth.of(entry.term)
      guard room >= 0 else { return ["  \(entry.term)", indent + meaning[0]] + rest }
      return ["  \(entry.term)\(String(repeating: " ", count: room + 2))\(meaning[0])"] + rest
    }
  }
}
