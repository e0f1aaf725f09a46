internal import GemLedger

/// Numbers and texts one behind the other.
struct ValueWriter {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ value: Int64) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }

  mutating func add(bytes value: [UInt8]) {
    add(Int64(value.count))
    bytes += value
  }
}

/// Reads what a ``ValueWriter`` wrote.
struct ValueReader {
  private let all: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) { all = bytes }

  var isAtEnd: Bool { position >= all.count }

  mutating func optionalInteger() -> Int64? {
    guard position + 8 <= all.count else { return nil }
    defer { position += 8 }
    return all.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: Int64.self)) }
  }

  mutating func optionalBytes() -> [UInt8]? {
    guard let count = optionalInteger(), count >= 0, Int64(all.count - position) >= count else { return nil }
    defer { position += Int(count) }
    return Array(all[position..<position + Int(count)])
  }

  mutating func integer() -> Int64 { optionalInteger() ?? 0 }
  mutating func bytes() -> [UInt8] { optionalBytes() ?? [] }
  mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }
}

/// Writes the columns of a row.
struct RowWriter: ColumnVisitor {
  private var values = ValueWriter()

  static func bytes<Row: StoredRow>(_ row: Row) -> [UInt8] {
    var (writer, row) = (RowWriter(), row)
    row.visit(&writer)
    return writer.values.bytes
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) { values.add(value) }
  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {
    values.add(value == nil ? 0 : 1)
    if let value { values.add(value) }
  }
  mutating func text(_ name: StaticString, _ value: inout String) { values.add(bytes: Array(value.utf8)) }
  mutating func text(_ name: StaticString, optional value: inout String?) {
    values.add(value == nil ? 0 : 1)
    if let value { values.add(bytes: Array(value.utf8)) }
  }
}

/// Reads the columns that a ``RowWriter`` wrote.
struct RowReader: ColumnVisitor {
  private var values: ValueReader

  static func row<Row: StoredRow>(_ bytes: [UInt8]) -> Row {
    var (reader, row) = (RowReader(values: ValueReader(bytes)), Row.blank)
    row.visit(&reader)
    return row
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) { value = values.integer() }
  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {
    value = values.integer() == 0 ? nil : values.integer()
  }
  mutating func text(_ name: StaticString, _ value: inout String) {
    value = values.text()
  }
  mutating func text(_ name: StaticString, optional value: inout String?) {
    value = values.integer() == 0 ? nil : values.text()
  }
}

/// Bytes that stand in the order of the values that they are made of.
struct KeyBytes {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ value: Int64) {
    withUnsafeBytes(of: (UInt64(bitPattern: value) ^ 1 << 63).bigEndian) { bytes += $0 }
  }

  mutating func add(_ text: String) {
    // A text ends where a longer one goes on, and so comes before it.
    for byte in text.utf8 { bytes += byte == 0 ? [0, 255] : [byte] }
    bytes += [0, 0]
  }
}

/// The columns of a row by their names, for its key and for its places in indexes.
struct ColumnValues: ColumnVisitor {
  enum Value {
    case number(Int64)
    case text(String)
  }

  private var values: [String: Value] = [:]
  private(set) var key = KeyBytes()
  private var keyColumnsLeft: Int

  init<Row: StoredRow>(of row: Row) {
    keyColumnsLeft = Row.keyColumnCount
    var row = row
    row.visit(&self)
  }

  private mutating func add(_ name: StaticString, _ value: Value?) {
    values["\(name)"] = value
    guard keyColumnsLeft > 0, let value else { return }
    keyColumnsLeft -= 1
    switch value {
    case .number(let number): key.add(number)
    case .text(let text): key.add(text)
    }
  }

  mutating func account(_ value: inout AccountNumber) {
    add("account", .number(value.rawValue))
    values["customer"] = .number(value.customer)
    values["currency"] = .number(value.currency)
  }
  mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) { add(name, .number(value)) }
  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {
    add(name, value.map(Value.number))
  }
  mutating func text(_ name: StaticString, _ value: inout String) { add(name, .text(value)) }
  mutating func text(_ name: StaticString, optional value: inout String?) { add(name, value.map(Value.text)) }

  /// The row's place in an index; nil where the index leaves it out.
  func place(in shape: IndexShape) -> [UInt8]? {
    guard shape.conditions.allSatisfy(holds) else { return nil }
    let columns = shape.key.map { column in
      switch column {
      case .number(let name), .text(let name): "\(name)"
      case .account: "account"
      }
    }
    var place = KeyBytes()
    for column in columns + shape.order.map({ "\($0)" }) {
      switch values[column] {
      case .number(let number): place.add(number)
      case .text(let text): place.add(text)
      case nil: return nil
      }
    }
    return place.bytes + key.bytes
  }

  private func holds(_ condition: IndexShape.Condition) -> Bool {
    func number(_ column: StaticString) -> Int64 {
      if case .number(let number) = values["\(column)"] { number } else { 0 }
    }
    return switch condition {
    case .equal(let column, let value): number(column) == value
    case .unequal(let column, let value): number(column) != value
    case .positive(let column): number(column) > 0
    case .within(let column, let range): range.contains(number(column))
    case .null(let column): values["\(column)"] == nil
    case .never(let column): number(column) == .max
    }
  }
}
