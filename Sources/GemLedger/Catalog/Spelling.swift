/// Finds the probably intended spelling.
package enum Spelling {
  private static let lengthMax = 64

  /// The known name that is reached with the fewest corrections, if these are few for its length.
  package static func nearest(to name: String, among known: [String]) -> String? {
    let bytes = folded(name)
    guard bytes.count <= lengthMax else { return nil }
    let ranked = known.map { (name: $0, distance: distance(bytes, folded($0))) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, best.name.utf8.count / 3) ? best.name : nil
  }

  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { ASCII.isUpper($0) ? $0 | 0x20 : $0 }
  }

  /// How many insertions, deletions and replacements lead from one to the other (Levenshtein).
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (i, byte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let replaced = diagonal + (byte == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
      }
    }
    return row[right.count]
  }
}
