/// A row's key: the numbers in its first columns, perhaps with a text among them.
///
/// Keys are compared column by column, texts by their bytes.
package struct RowKey: Hashable, Comparable, Sendable {
  private var before: (Int64, Int64) = (0, 0)
  private var text = ""
  private var behind: (Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0)
  private var hasText = false
  private var column = 0
  private var columnsLeft: Int

  /// A key has at most two numbers before its text and five after it.
  package init<Row: StoredRow>(of row: Row) {
    columnsLeft = Row.keyColumnCount
    var row = row
    row.visit(&self)
  }

  package init(_ number: Int64) {
    before.0 = number
    columnsLeft = 0
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.before == right.before && left.text.hasBytes(of: right.text) && left.behind == right.behind
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(before.0)
    hasher.combine(before.1)
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(behind.0)
    hasher.combine(behind.1)
    hasher.combine(behind.2)
    hasher.combine(behind.3)
    hasher.combine(behind.4)
  }

  package static func < (left: Self, right: Self) -> Bool {
    if left.before != right.before { return left.before < right.before }
    if left.text.hasBytes(of: right.text) { return left.behind < right.behind }
    return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

extension RowKey: ColumnVisitor {
  package mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) {
    guard columnsLeft > 0 else { return }
    switch (hasText, column) {
    case (false, 0): before.0 = value
    case (false, _): before.1 = value
    case (true, 0): behind.0 = value
    case (true, 1): behind.1 = value
    case (true, 2): behind.2 = value
    case (true, 3): behind.3 = value
    case (true, _): behind.4 = value
    }
    column += 1
    columnsLeft -= 1
  }

  package mutating func text(_ name: StaticString, _ value: inout String) {
    guard columnsLeft > 0 else { return }
    (text, hasText, column) = (value, true, 0)
    columnsLeft -= 1
  }

  package mutating func account(_ value: inout AccountNumber) {
    var number = value.rawValue
    integer("account", .any, &number)
  }

  // Key columns are never null.
  package mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {}
  package mutating func text(_ name: StaticString, optional value: inout String?) {}
}
