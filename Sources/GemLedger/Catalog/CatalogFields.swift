/// The fields of one object of a document.
package struct CatalogFields {
  package let object: JSONObject
  package let path: JSONPath
  package let check: CatalogCheck

  /// A field that must be there.
  package func required<Value>(_ name: String, _ read: (CatalogField) -> Value?) -> Value? {
    guard let field = field(name) else {
      check.add(path / name, "The field is missing.")
      return nil
    }
    return read(field)
  }

  /// A field that may be missing or null.
  package func optional<Value>(_ name: String, _ read: (CatalogField) -> Value?) -> Value? {
    guard let field = field(name), !field.value.isNull else { return nil }
    return read(field)
  }

  /// A field that may be missing, and then has this value.
  package func optional<Value>(
    _ name: String, default value: Value, _ read: (CatalogField) -> Value?
  ) -> Value {
    guard let field = field(name) else { return value }
    return read(field) ?? value
  }

  private func field(_ name: String) -> CatalogField? {
    object[name].map { CatalogField($0, at: path / name, check) }
  }

  func refuseUnknown(_ known: [String]) {
    for (name, _) in object.members where !known.contains(name) {
      let suggestion = Spelling.nearest(to: name, among: known).map { " Did you mean \"\($0)\"?" } ?? ""
      check.add(path / name, "There is no such field.\(suggestion)")
    }
  }
}

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
