/// The members of a JSON object, in the order in which they were written.
///
/// Names compare byte by byte. Looking one up walks the members: the objects of this package are short.
package struct JSONObject: Sendable {
  package var members: [(name: String, value: JSONValue)]

  package init(_ members: [(name: String, value: JSONValue)] = []) { self.members = members }

  package init(_ members: [(String, JSONValue)]) {
    self.members = members.map { (name: $0.0, value: $0.1) }
  }

  package var isEmpty: Bool { members.isEmpty }

  /// The member with this name; setting a new one appends it, setting nil removes it.
  package subscript(name: String) -> JSONValue? {
    get { index(of: name).map { members[$0].value } }
    set {
      switch (index(of: name), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append((name, value))
      case (nil, nil): break
      }
    }
  }

  private func index(of name: String) -> Int? {
    members.index(of: name)
  }
}

extension JSONObject: Hashable {
  /// Whether both have equal members, in the same order.
  package static func == (left: Self, right: Self) -> Bool {
    left.members.elementsEqual(right.members) {
      $0.name.hasBytes(of: $1.name) && $0.value == $1.value
    }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(members.count)
    for (name, value) in members {
      hasher.combine(ByteString(name))
      hasher.combine(value)
    }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

extension [(name: String, value: JSONValue)] {
  /// The index of the member with this name.
  ///
  /// Lengths are compared first, in place: most names differ in length, and a reader of a receipt looks up each of its
  /// twenty members.
  func index(of name: String) -> Int? {
    let count = name.utf8.count
    for index in indices where self[index].name.utf8.count == count && self[index].name.hasBytes(of: name) {
      return index
    }
    return nil
  }
}
