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
#endif
