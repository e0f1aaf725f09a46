/// A text that a service records about a customer under a name, such as `$email` or `favorite_level`.
package struct CustomerAttribute: Hashable, Sendable {
  package let name: String
  package let value: String
  package let updatedAt: Timestamp

  /// A request to set an attribute, or to remove it.
  package struct Change: Hashable, Sendable {
    package let name: String
    /// Nil or an empty text removes the attribute.
    package let value: String?
    /// The time of the change at its source; an older change does not replace a newer one.
    package let updatedAt: Timestamp

    package init(_ name: String, _ value: String?, at updatedAt: Timestamp) {
      self.name = name
      self.value = value
      self.updatedAt = updatedAt
    }

    /// Checks name and value.
    ///
    /// - Throws: `LedgerError` with `limit_exceeded`; the detail `attribute` is the name.
    package func check() throws(LedgerError) {
      guard (1...Limits.attributeNameBytes).contains(name.utf8.count), !name.utf8.contains(where: { $0 < 0x20 }) else {
        throw CustomerAttribute.outOfBounds(
          name, "An attribute's name has 1 to \(Limits.attributeNameBytes) bytes without control characters.")
      }
      guard (value ?? "").utf8.count <= Limits.attributeValueBytes else {
        throw CustomerAttribute.outOfBounds(
          name, "The value of the attribute \"\(name)\" has more than \(Limits.attributeValueBytes) bytes; shorten it.")
      }
    }
  }

  fileprivate static func outOfBounds(_ name: String, _ message: String) -> LedgerError {
    LedgerError(.limitExceeded, message, details: [.text("attribute", String(name.prefix(100)))])
  }
}

/// All attributes of a customer, in the order of the bytes of their names.
package struct CustomerAttributes: Hashable, Sendable {
  package internal(set) var list: [CustomerAttribute] = []

  package init() {}

  package subscript(name: String) -> CustomerAttribute? { list.first { $0.name.hasBytes(of: name) } }

  /// Applies one change; a change that is older than the attribute has no effect.
  mutating func apply(_ change: CustomerAttribute.Change) {
    if let known = self[change.name], known.updatedAt > change.updatedAt { return }
    list.removeAll { $0.name.hasBytes(of: change.name) }
    guard let value = change.value, !value.isEmpty else { return }
    let place = list.firstIndex { change.name.utf8.lexicographicallyPrecedes($0.name.utf8) } ?? list.endIndex
    list.insert(CustomerAttribute(name: change.name, value: value, updatedAt: change.updatedAt), at: place)
  }

  /// Checks the number of attributes; names that begin with "$" have a separate limit.
  ///
  /// - Throws: `LedgerError` with `limit_exceeded`; the detail `attribute` is the last name over the limit.
  func checkCount() throws(LedgerError) {
    let reserved = list.filter { $0.name.hasPrefix("$") }
    let others = list.filter { !$0.name.hasPrefix("$") }
    for kind in [reserved, others] where kind.count > Limits.attributesPerCustomer {
      throw CustomerAttribute.outOfBounds(
        kind.last?.name ?? "",
        "A customer has at most \(Limits.attributesPerCustomer) attributes, and as many with the prefix \"$\"; "
          + "remove an attribute first.")
    }
  }
}
