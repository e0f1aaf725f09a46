/// A row for one part of a record, such as an entry of a transaction.
struct RowPart<Whole, Part> {
  let whole: Whole
  /// Nil if the record has no parts.
  let part: Part?
  let isFirst: Bool

  /// The record in its first row, for columns that do not repeat it.
  var first: Whole? { isFirst ? whole : nil }
}

extension Sequence {
  /// Returns a row for each part of each element; an element without parts has one row.
  func rows<Part>(_ parts: (Element) -> some Collection<Part>) -> [RowPart<Element, Part>] {
    flatMap { element in
      let parts = Array(parts(element))
      let others = parts.dropFirst().map { RowPart(whole: element, part: $0, isFirst: false) }
      return [RowPart(whole: element, part: parts.first, isFirst: true)] + others
    }
  }
}
