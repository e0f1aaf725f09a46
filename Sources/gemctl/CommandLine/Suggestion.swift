/// Finds the probable meaning of a mistyped word.
enum Suggestion {
  /// Returns the nearest candidate, the earlier of two equally near candidates, or nil if none is near enough.
  ///
  /// A candidate that begins with the word is nearest, then candidates with typing errors in at most a third of the
  /// letters. Case is ignored. In a short word two errors are too many: "xyc" does not suggest "abc".
  static func nearest(to word: String, among candidates: [String]) -> String? {
    // A word of this length is no mistyped verb, and the distance takes quadratic time.
    guard !word.isEmpty, word.utf8.count <= 64 else { return nil }
    let folded = word.lowercased()
    if word.count > 1, let longer = candidates.first(where: { $0.lowercased().hasPrefix(folded) }) { return longer }
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(folded, candidate.lowercased())
      let longest = max(word.count, candidate.count)
      guard distance <= slipsMax(longest), distance < word.count else { continue }
      if distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
  }

  private static func slipsMax(_ letters: Int) -> Int { letters < 6 ? 1 : max(2, letters / 3) }

  /// Returns the number of typing errors between two words: a letter missing, added or changed, or two letters swapped.
  ///
  /// This is the Damerau-Levenshtein distance in its restricted form: no part is edited twice.
  static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left.unicodeScalars)
    let right = Array(right.unicodeScalars)
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let change = previous[column] + (left[row] == right[column] ? 0 : 1)
        var cost = min(previous[column + 1] + 1, current[column] + 1, change)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforePrevious[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforePrevious, previous) = (previous, current)
    }
    return previous[right.count]
  }
}
