#if PostgreSQL
internal import CPostgreSQL

/// The rows of a statement's result, in the server's binary form.
final class PostgresRows {
  private let result: OpaquePointer
  let count: Int

  /// - Parameter result: The result, which the rows own from now on.
  init(_ result: OpaquePointer) {
    self.result = result
    count = Int(PQntuples(result))
  }

  deinit { PQclear(result) }

  var columnCount: Int { Int(PQnfields(result)) }
  func name(_ column: Int) -> String { PQfname(result, Int32(column)).map { String(cString: $0) } ?? "" }

  /// Whether the column has integers of two, four or eight bytes.
  func isInteger(_ column: Int) -> Bool { [20, 21, 23].contains(PQftype(result, Int32(column))) }

  func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

  /// Returns an integer of two, four or eight bytes, or a Boolean.
  @inline(__always)
  func integer(_ row: Int, _ column: Int) -> Int64 {
    guard let value = PQgetvalue(result, Int32(row), Int32(column)) else { return 0 }
    let bytes = UnsafeRawPointer(value)
    switch PQgetlength(result, Int32(row), Int32(column)) {
    case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 1: return Int64(bytes.load(as: UInt8.self))
    default: return 0
    }
  }

  /// Returns a list of eight-byte integers without nulls; nil for null and for anything else.
  func integers(_ row: Int, _ column: Int) -> [Int64]? {
    // Dimensions, flags and type; then size and lower bound of the one dimension; then each length and value.
    let (head, element) = (20, 12)
    return withBytes(row, column) { bytes in
      guard bytes.count >= head, (bytes.count - head) % element == 0, let start = UnsafeRawPointer(bytes.baseAddress)
      else { return nil }
      return stride(from: head + 4, to: bytes.count, by: element).map { offset in
        Int64(bigEndian: start.loadUnaligned(fromByteOffset: offset, as: Int64.self))
      }
    }
  }

  func optionalInteger(_ row: Int, _ column: Int) -> Int64? {
    isNull(row, column) ? nil : integer(row, column)
  }

  func text(_ row: Int, _ column: Int) -> String {
    withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
  }

  func optionalText(_ row: Int, _ column: Int) -> String? { isNull(row, column) ? nil : text(row, column) }

  func withBytes<Answer>(
    _ row: Int, _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Answer
  ) -> Answer {
    let length = Int(PQgetlength(result, Int32(row), Int32(column)))
    guard length > 0, let value = PQgetvalue(result, Int32(row), Int32(column)) else {
      return body(UnsafeBufferPointer(start: nil, count: 0))
    }
    return value.withMemoryRebound(to: UInt8.self, capacity: length) {
      body(UnsafeBufferPointer(start: $0, count: length))
    }
  }
}

// MARK: Rows in records

extension PostgresRows {
  /// Returns the columns without rows.
  func withoutRows() -> PostgresRows? { copyOfColumns().map(PostgresRows.init) }

  private func copyOfColumns() -> OpaquePointer? { PQcopyResult(result, PG_COPYRES_ATTRS) }

  /// Returns the results of several queries, of which this one has the rows: the number of the query, and a record.
  ///
  /// - Parameter columns: The columns of each query's result.
  func split(into columns: [PostgresRows]) throws(PostgresFailure) -> [PostgresRows] {
    let results = columns.map { $0.copyOfColumns() }
    var isDamaged = results.contains { $0 == nil }
    for row in 0..<count where !isDamaged {
      let number = Int(integer(row, 0))
      let target = results.indices.contains(number) ? results[number] : nil
      isDamaged = target.map { target in withBytes(row, 1) { !Self.append(record: $0, to: target) } } ?? true
    }
    // They own the results, also after damage.
    let answers = results.compactMap { $0.map(PostgresRows.init) }
    if isDamaged {
      throw PostgresFailure(state: PostgresFailure.damagedRow, message: "a record has other columns than its query")
    }
    return answers
  }

  /// Appends a row; the record has the number of its columns, and each one's type and length before its value.
  private static func append(record: UnsafeBufferPointer<UInt8>, to result: OpaquePointer) -> Bool {
    let bytes = UnsafeRawBufferPointer(record)
    func integer(_ offset: Int) -> Int32 {
      Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
    }
    let (columns, row) = (PQnfields(result), PQntuples(result))
    guard bytes.count >= 4, integer(0) == columns else { return false }
    var offset = 4
    for column in 0..<columns {
      guard bytes.count >= offset + 8 else { return false }
      let length = integer(offset + 4)
      offset += 8
      guard length >= -1, bytes.count >= offset + Int(max(0, length)) else { return false }
      // It copies the value, and does not change it.
      let value = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0 + offset) }
      guard PQsetvalue(result, row, column, value?.assumingMemoryBound(to: CChar.self), length) == 1 else {
        return false
      }
      offset += Int(max(0, length))
    }
    return true
  }
}
#endif
