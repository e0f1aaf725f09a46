/// A list that stores a single element in place, without an array.
///
/// Nearly every transaction has one entry, and nearly every entry falls on one lot. Elements are read inline: through
/// the metadata of a generic type a caller in another module would spend 490 instructions on each.
public struct CompactList<Element>: RandomAccessCollection {
  @usableFromInline
  enum Content {
    case one(Element)
    case several([Element])
  }

  @usableFromInline let content: Content

  package init(_ element: Element) { content = .one(element) }

  package init(_ elements: [Element]) {
    content = if let only = elements.first, elements.count == 1 { .one(only) } else { .several(elements) }
  }

  /// Always 0.
  @inlinable public var startIndex: Int { 0 }

  /// The number of elements.
  @inlinable public var endIndex: Int {
    switch content {
    case .one: 1
    case .several(let elements): elements.count
    }
  }

  /// The element at the position.
  @inlinable
  public subscript(position: Int) -> Element {
    switch content {
    case .one(let element):
      precondition(position == 0, "the only element is at position 0")
      return element
    case .several(let elements): return elements[position]
    }
  }
}

extension CompactList: Sendable where Element: Sendable {}
extension CompactList.Content: Sendable where Element: Sendable {}
extension CompactList: Equatable where Element: Equatable {
  /// Element by element.
  public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}
extension CompactList: Hashable where Element: Hashable {
  /// Over the elements.
  public func hash(into hasher: inout Hasher) { for element in self { hasher.combine(element) } }
}
