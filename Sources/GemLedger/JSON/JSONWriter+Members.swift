// Members of an object, which are left out if there is no value.
extension JSONWriter {
  package mutating func text(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    self.name(name)
    text(value)
  }

  package mutating func integer(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    self.name(name)
    integer(value)
  }

  package mutating func bool(_ name: StaticString, _ value: Bool) {
    self.name(name)
    bool(value)
  }

  /// Writes the milliseconds.
  package mutating func instant(_ name: StaticString, _ value: Timestamp?) { integer(name, value?.milliseconds) }

  package mutating func value(_ name: StaticString, _ value: JSONValue) {
    self.name(name)
    self.value(value)
  }
}

extension JSONValue {
  /// The value as JSON: without space, unless the style adds it.
  package func text(_ style: JSONWriter.Style = .compact) -> String {
    var writer = JSONWriter(style: style)
    writer.value(self)
    return writer.string
  }
}
