/// The differences of two values, field by field.
package enum JSONDifference {
  /// Lines such as `prices.USA: "9.99" -> "8.99"`, in the order of the new value's fields; removed fields are last.
  package static func lines(from old: JSONValue, to new: JSONValue) -> [String] {
    var lines: [String] = []
    compare(old, new, at: .root, into: &lines)
    return lines
  }

  private static func compare(_ old: JSONValue?, _ new: JSONValue?, at path: JSONPath, into lines: inout [String]) {
    guard old != new else { return }
    let count = lines.count
    switch (old, new) {
    case (.object(let old)?, .object(let new)?):
      for (name, value) in new.members { compare(old[name], value, at: path / name, into: &lines) }
      for (name, value) in old.members where new[name] == nil {
        compare(value, nil, at: path / name, into: &lines)
      }
    case (.array(let old)?, .array(let new)?) where old.count == new.count:
      for index in new.indices { compare(old[index], new[index], at: path[index], into: &lines) }
    default: break
    }
    // Values without a differing field differ as a whole: scalars, lists of other lengths, members in another order.
    if lines.count == count { lines.append("\(name(path)): \(text(old)) -> \(text(new))") }
  }

  private static func name(_ path: JSONPath) -> String {
    let text = path.description.dropFirst()
    return text.isEmpty ? "$" : String(text.first == "." ? text.dropFirst() : text)
  }

  private static func text(_ value: JSONValue?) -> String { value?.text() ?? "none" }
}
