internal import CSQLite
internal import GemLedger

/// A prepared statement, used by one connection at a time.
final class SQLiteStatement {
  let handle: OpaquePointer
  private let database: OpaquePointer
  /// The number of parameters before those of the row that is bound, in a statement for many rows.
  var parametersBefore: Int32 = 0

  init(_ sql: String, database: OpaquePointer) throws(SQLiteFailure) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else { throw SQLiteConnection.failure(code, database) }
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  // MARK: Binding; a binding can fail only for want of memory or for an index that is not there.

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, parametersBefore + index, value) }

  func bind(_ index: Int32, _ value: Int64?) {
    if let value { bind(index, value) } else { bindNull(index) }
  }

  func bindNull(_ index: Int32) { sqlite3_bind_null(handle, parametersBefore + index) }

  /// Binds a copy of the text.
  func bind(_ index: Int32, _ text: String?) {
    guard var text else { return bindNull(index) }
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // -1 is SQLITE_TRANSIENT, a macro that Swift does not import.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        _ = sqlite3_bind_text(
          handle, parametersBefore + index, characters.baseAddress ?? UnsafePointer(bitPattern: 1), Int32(bytes.count),
          transient)
      }
    }
  }

  /// Binds a key: as sixteen bytes if it is a canonical UUID, otherwise as text.
  func bind(_ index: Int32, key: IdempotencyKey) {
    guard let (high, low) = HexForm.parseUUID(key.text) else { return bind(index, key.text) }
    let words = (high.bigEndian, low.bigEndian)
    withUnsafeBytes(of: words) { bytes in
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      _ = sqlite3_bind_blob(handle, parametersBefore + index, bytes.baseAddress, 16, transient)
    }
  }

  /// Binds the values of several rows, one after the other.
  @inline(__always)
  func bind<Rows: RandomAccessCollection>(many rows: Rows, _ bind: (SQLiteStatement, Rows.Element) -> Void) {
    let parametersPerRow = sqlite3_bind_parameter_count(handle) / Int32(rows.count)
    for row in rows {
      bind(self, row)
      parametersBefore += parametersPerRow
    }
    parametersBefore = 0
  }

  // MARK: Running

  /// Runs a statement without result rows.
  @inline(__always)
  func run() throws(SQLiteFailure) {
    let code = sqlite3_step(handle)
    if code != SQLITE_DONE { throw fail(code) }
    sqlite3_reset(handle)
  }

  /// Steps to the next row; returns false at the end and resets the statement.
  @inline(__always)
  func step() throws(SQLiteFailure) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else { throw fail(code) }
    sqlite3_reset(handle)
    return false
  }

  /// Resets the statement before its end.
  @inline(__always)
  func reset() { sqlite3_reset(handle) }

  private func fail(_ code: Int32) -> SQLiteFailure {
    let failure = SQLiteConnection.failure(code, database)
    sqlite3_reset(handle)
    return failure
  }

  // MARK: Columns

  var columnCount: Int32 { sqlite3_column_count(handle) }

  @inline(__always)
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func optionalInteger(_ column: Int32) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
  }

  func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// Whether the column is this text, byte by byte.
  func hasText(_ column: Int32, _ text: String) -> Bool {
    var text = text
    guard let bytes = sqlite3_column_text(handle, column) else { return false }
    let count = Int(sqlite3_column_bytes(handle, column))
    return text.withUTF8 { $0.elementsEqual(UnsafeBufferPointer(start: bytes, count: count)) }
  }

  func optionalText(_ column: Int32) -> String? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : text(column)
  }

  func key(_ column: Int32) -> IdempotencyKey {
    guard isBlob(column) else { return IdempotencyKey(unchecked: text(column)) }
    let (high, low) = keyWords(column) ?? (0, 0)
    return IdempotencyKey(unchecked: HexForm.uuid(high: high, low: low))
  }

  /// The two halves of a key that is a canonical UUID; nil if it is a text, or not of sixteen bytes.
  func keyWords(_ column: Int32) -> (high: UInt64, low: UInt64)? {
    guard isBlob(column), sqlite3_column_bytes(handle, column) == 16, let bytes = sqlite3_column_blob(handle, column)
    else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: 16)) }
    return (words.0.bigEndian, words.1.bigEndian)
  }

  func isBlob(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_BLOB }
}
