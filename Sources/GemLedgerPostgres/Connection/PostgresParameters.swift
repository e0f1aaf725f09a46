#if PostgreSQL
/// The values of a statement's parameters, in the server's binary form.
struct PostgresParameters {
  private enum Kind {
    static let truth: UInt32 = 16
    static let bytes: UInt32 = 17
    static let integer: UInt32 = 20
    static let lane: UInt32 = 23
    static let text: UInt32 = 25
    static let truths: UInt32 = 1000
    static let byteLists: UInt32 = 1001
    static let lanes: UInt32 = 1007
    static let texts: UInt32 = 1009
    static let integers: UInt32 = 1016

    static let names = [
      truth: "boolean", bytes: "bytea", integer: "bigint", lane: "integer", text: "text", truths: "boolean[]",
      byteLists: "bytea[]", lanes: "integer[]", texts: "text[]", integers: "bigint[]",
    ]
  }

  /// All values, concatenated.
  private(set) var buffer: [UInt8] = []
  /// The start of each value; -1 for null.
  private(set) var offsets: [Int] = []
  private(set) var lengths: [Int32] = []
  private(set) var types: [UInt32] = []

  mutating func add(_ value: Int64) {
    begin(Kind.integer)
    append(value)
    end()
  }

  mutating func add(_ value: Int64?) {
    guard let value else { return addNull(Kind.integer) }
    add(value)
  }

  mutating func add(_ text: String) {
    begin(Kind.text)
    buffer += text.utf8
    end()
  }

  mutating func add(_ text: String?) {
    guard let text else { return addNull(Kind.text) }
    add(text)
  }

  mutating func add(bytes: [UInt8]) {
    begin(Kind.bytes)
    buffer += bytes
    end()
  }

  // MARK: Arrays

  mutating func add<Row>(_ rows: [Row], _ value: (Row) -> Int64) {
    begin(Kind.integers)
    appendHead(count: rows.count, of: Kind.integer, hasNulls: false)
    buffer.reserveCapacity(buffer.count + rows.count * 12)
    for row in rows {
      append(Int32(8))
      append(value(row))
    }
    end()
  }

  mutating func add(list numbers: [Int64]?) {
    guard let numbers else { return addNull(Kind.integers) }
    add(numbers, \.self)
  }

  mutating func add<Row>(_ rows: [Row], truth: (Row) -> Bool) {
    begin(Kind.truths)
    appendHead(count: rows.count, of: Kind.truth, hasNulls: false)
    for row in rows {
      append(Int32(1))
      buffer.append(truth(row) ? 1 : 0)
    }
    end()
  }

  mutating func add<Row>(_ rows: [Row], optional value: (Row) -> Int64?) {
    begin(Kind.integers)
    appendHead(count: rows.count, of: Kind.integer, hasNulls: true)
    for row in rows {
      guard let value = value(row) else {
        append(Int32(-1))
        continue
      }
      append(Int32(8))
      append(value)
    }
    end()
  }

  mutating func add<Row>(_ rows: [Row], text value: (Row) -> String?) {
    begin(Kind.texts)
    appendHead(count: rows.count, of: Kind.text, hasNulls: true)
    for row in rows {
      guard let value = value(row) else {
        append(Int32(-1))
        continue
      }
      append(Int32(value.utf8.count))
      buffer += value.utf8
    }
    end()
  }

  /// - Parameter write: Appends the row's bytes.
  mutating func add<Row>(_ rows: [Row], bytes write: (Row, inout [UInt8]) -> Void) {
    begin(Kind.byteLists)
    appendHead(count: rows.count, of: Kind.bytes, hasNulls: false)
    for row in rows {
      let start = buffer.count
      append(Int32(0))
      write(row, &buffer)
      let length = Int32(buffer.count - start - 4).bigEndian
      withUnsafeBytes(of: length) { length in
        for index in 0..<4 { buffer[start + index] = length[index] }
      }
    }
    end()
  }

  mutating func add(_ list: PostgresList) {
    begin(list.element == .integer ? Kind.integers : Kind.texts)
    appendHead(
      count: list.count, of: list.element == .integer ? Kind.integer : Kind.text, hasNulls: list.hasNulls)
    buffer += list.bytes
    end()
  }

  // MARK: Lanes

  /// Adds a four-byte integer, the type of the column `lane`: the engine compares only values of the same type.
  mutating func add(lane: Int32) {
    begin(Kind.lane)
    append(lane)
    end()
  }

  mutating func add(lanes: [Int32]) {
    begin(Kind.lanes)
    appendHead(count: lanes.count, of: Kind.lane, hasNulls: false)
    for lane in lanes {
      append(Int32(4))
      append(lane)
    }
    end()
  }

  /// Returns the eight-byte integers of a list, or the single integer.
  func integers(at index: Int) -> [Int64] {
    guard offsets[index] >= 0 else { return [] }
    func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
    guard types[index] == Kind.integers else { return [number(buffer[offsets[index]..<offsets[index] + 8])] }
    return values(index).compactMap { $0.bytes.map(number) }
  }

  /// Adds all parameters of another statement.
  mutating func append(_ other: PostgresParameters) {
    let start = buffer.count
    buffer += other.buffer
    offsets += other.offsets.map { $0 < 0 ? $0 : start + $0 }
    lengths += other.lengths
    types += other.types
  }

  // MARK: Rows of lists

  var count: Int { types.count }

  /// The types as SQL.
  var typeNames: [String] { types.map { Kind.names[$0, default: ""] } }

  /// One value in its encoded form.
  struct Value {
    fileprivate let type: UInt32
    /// The value's bytes; nil for null.
    fileprivate let bytes: ArraySlice<UInt8>?
  }

  /// Returns the rows of lists of equal length, with one value from each list.
  func rows() -> [[Value]] {
    let lists = offsets.indices.map(values)
    return (lists.first ?? []).indices.map { row in lists.map { $0[row] } }
  }

  /// Adds each value as a separate parameter.
  mutating func append(_ row: [Value]) {
    for value in row {
      guard let bytes = value.bytes else {
        addNull(value.type)
        continue
      }
      begin(value.type)
      buffer += bytes
      end()
    }
  }

  /// Decodes a list that ``appendHead(count:of:hasNulls:)`` started.
  private func values(_ list: Int) -> [Value] {
    var at = offsets[list] + 8
    let type = UInt32(bitPattern: integer(at))
    at += 4
    guard lengths[list] > 12 else { return [] }
    let count = Int(integer(at))
    at += 8
    return (0..<count).map { _ in
      let length = Int(integer(at))
      at += 4
      guard length >= 0 else { return Value(type: type, bytes: nil) }
      defer { at += length }
      return Value(type: type, bytes: buffer[at..<at + length])
    }
  }

  private func integer(_ at: Int) -> Int32 {
    buffer[at..<at + 4].reduce(0) { $0 << 8 | Int32(bitPattern: UInt32($1)) }
  }

  // MARK: Parts

  private mutating func begin(_ type: UInt32) {
    types.append(type)
    offsets.append(buffer.count)
  }

  private mutating func end() { lengths.append(Int32(buffer.count - (offsets.last ?? 0))) }

  private mutating func addNull(_ type: UInt32) {
    types.append(type)
    offsets.append(-1)
    lengths.append(0)
  }

  /// Starts an array with one dimension and the lower bound 1.
  private mutating func appendHead(count: Int, of type: UInt32, hasNulls: Bool) {
    append(Int32(count == 0 ? 0 : 1))
    append(Int32(hasNulls ? 1 : 0))
    append(Int32(bitPattern: type))
    guard count > 0 else { return }
    append(Int32(count))
    append(Int32(1))
  }

  @inline(__always)
  private mutating func append<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: value.bigEndian) { buffer.append(contentsOf: $0) }
  }
}

/// A value of a parameter.
protocol PostgresValue {
  func add(to parameters: inout PostgresParameters)
}

struct PostgresBytes: PostgresValue {
  let bytes: [UInt8]
  func add(to parameters: inout PostgresParameters) { parameters.add(bytes: bytes) }
}

/// A value that may be an element of a list.
protocol PostgresElement: PostgresValue {
  static func add(_ list: [Self], to parameters: inout PostgresParameters)
}

extension Int64: PostgresElement {
  func add(to parameters: inout PostgresParameters) { parameters.add(self) }
  static func add(_ list: [Self], to parameters: inout PostgresParameters) { parameters.add(list, \.self) }
}

extension String: PostgresElement {
  func add(to parameters: inout PostgresParameters) { parameters.add(self) }
  static func add(_ list: [Self], to parameters: inout PostgresParameters) { parameters.add(list, text: \.self) }
}

extension Array: PostgresValue where Element: PostgresElement {
  func add(to parameters: inout PostgresParameters) { Element.add(self, to: &parameters) }
}

/// The values of one column of many rows, in the form for sending them as a list.
struct PostgresList {
  enum Element {
    case integer
    case text
  }

  let element: Element
  private(set) var count = 0
  private(set) var hasNulls = false
  private(set) var bytes: [UInt8] = []

  init(of element: Element, count: Int) {
    self.element = element
    bytes.reserveCapacity(count * 12)
  }

  mutating func append(_ value: Int64) {
    count += 1
    append(Int32(8))
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ value: Int64?) {
    guard let value else { return appendNull() }
    append(value)
  }

  mutating func append(_ text: String) {
    count += 1
    append(Int32(text.utf8.count))
    bytes += text.utf8
  }

  mutating func append(_ text: String?) {
    guard let text else { return appendNull() }
    append(text)
  }

  private mutating func appendNull() {
    count += 1
    hasNulls = true
    append(Int32(-1))
  }

  private mutating func append(_ length: Int32) {
    withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
#endif
