#if Server
internal import CSQLite
internal import GemLedgerSQLite
internal import Synchronization

/// The minimal work of reading a customer's balances on SQLite: three statements in one state, by the C API.
///
/// It checks no key, formats no text, and writes no log.
final class BareBalances: Sendable {
  private let idle: Mutex<[Reader]>

  /// One connection, with its statements.
  // Unchecked: a reader that was taken out of the list belongs to one thread.
  private final class Reader: @unchecked Sendable {
    let database: OpaquePointer
    let (catalogVersion, customer, accounts): (OpaquePointer, OpaquePointer, OpaquePointer)

    init(path: String) {
      var handle: OpaquePointer?
      sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
      guard let handle else { preconditionFailure("no memory for a connection") }
      sqlite3_exec(handle, SQL.settings, nil, nil, nil)
      func prepare(_ sql: String) -> OpaquePointer {
        var statement: OpaquePointer?
        sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard let statement else { preconditionFailure(String(cString: sqlite3_errmsg(handle))) }
        return statement
      }
      database = handle
      catalogVersion = prepare(SQL.catalogVersion)
      customer = prepare(SQL.customer)
      accounts = prepare("SELECT balance, held FROM accounts WHERE account >= ?1 AND account < ?2 ORDER BY account")
    }

    deinit {
      for statement in [catalogVersion, customer, accounts] { sqlite3_finalize(statement) }
      sqlite3_close(database)
    }

    func available(to customer: UnsafeBufferPointer<CChar>) -> Int64 {
      // This statement stays open, so that the others read the same state.
      sqlite3_step(catalogVersion)
      // A nil destructor: the text outlives the statement's run.
      sqlite3_bind_text(self.customer, 1, customer.baseAddress, Int32(customer.count), nil)
      guard sqlite3_step(self.customer) == SQLITE_ROW else { preconditionFailure("a customer is missing") }
      let number = sqlite3_column_int64(self.customer, 0)
      sqlite3_reset(self.customer)
      sqlite3_bind_int64(accounts, 1, number << 10)
      sqlite3_bind_int64(accounts, 2, (number + 1) << 10)
      var available: Int64 = 0
      while sqlite3_step(accounts) == SQLITE_ROW {
        available += sqlite3_column_int64(accounts, 0) - sqlite3_column_int64(accounts, 1)
      }
      sqlite3_reset(accounts)
      sqlite3_reset(catalogVersion)
      return available
    }
  }

  init(path: String, threads: Int) { idle = Mutex((0..<threads).map { _ in Reader(path: path) }) }

  /// Reads the balances of the customer that a path names in its sixth part.
  func read(path: UnsafePointer<CChar>) -> Int64 {
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    var (start, slashes) = (path, 0)
    while slashes < 5, start.pointee != 0 {
      if start.pointee == slash { slashes += 1 }
      start += 1
    }
    var end = start
    while end.pointee != 0, end.pointee != slash { end += 1 }
    guard let reader = idle.withLock({ $0.popLast() }) else { preconditionFailure("more threads than readers") }
    defer { idle.withLock { $0.append(reader) } }
    return reader.available(to: UnsafeBufferPointer(start: start, count: end - start))
  }

  func close() { idle.withLock { $0 = [] } }
}
#endif
