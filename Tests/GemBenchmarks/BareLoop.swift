internal import CSQLite
internal import GemLedger
package import GemLedgerSQLite

/// The baseline of the storage on SQLite: a bare loop over the C API.
///
/// It writes the same rows as the ledger, in groups of a stated size, over the same schema and settings, and reads the
/// rows that a new process reads: it keeps none. It has no rules and makes no digests: it would spend currency that is
/// not there.
package final class BareLoop {
  /// One operation with everything worked out before: the loop only binds and steps.
  package struct Operation {
    package var customer: String
    /// The customer's number, as a hint tells it.
    package var number: Int64
    /// The key's bytes.
    package var key: (UInt64, UInt64)
    package var asked: Int64
  }

  private let database: OpaquePointer
  private let statements: Statements
  private let createdAt: Int64
  /// The account at hand, column by column.
  private let row = UnsafeMutablePointer<Int64>.allocate(capacity: 12)
  private let sizes: TableSizes
  /// The greatest number of rows in the buffer of accounts; nil if accounts are not buffered.
  private var buffered: Int?
  /// The last account that was moved out of the buffer.
  private var lastMoved: Int64 = .min

  private struct Statements {
    let begin: OpaquePointer
    let commit: OpaquePointer
    let catalogVersion: OpaquePointer
    let lastTransaction: OpaquePointer
    let lastEntry: OpaquePointer
    let customer: OpaquePointer
    let key: OpaquePointer
    let lastKey: OpaquePointer
    let account: OpaquePointer
    let bufferedAccount: OpaquePointer
    let lastPlainTransaction: OpaquePointer
    let lastRun: OpaquePointer
    let runOfTransaction: OpaquePointer
    let addPlainTransaction: OpaquePointer
    let addKey: OpaquePointer
    let setAccount: OpaquePointer
    let bufferAccount: OpaquePointer
    let countAccounts: OpaquePointer
    let endOfAccounts: OpaquePointer
    let moveAccounts: OpaquePointer
    let removeAccounts: OpaquePointer
  }

  package init(path: String, createdAt: Int64, sizes: TableSizes = TableSizes()) {
    self.sizes = sizes
    var handle: OpaquePointer?
    sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard let handle else { preconditionFailure("no memory for a connection") }
    let database = handle
    sqlite3_exec(database, SQL.settings, nil, nil, nil)
    func prepare(_ sql: String) -> OpaquePointer {
      var statement: OpaquePointer?
      sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
      guard let statement else { preconditionFailure(String(cString: sqlite3_errmsg(database))) }
      return statement
    }
    statements = Statements(
      begin: prepare("BEGIN IMMEDIATE"), commit: prepare("COMMIT"), catalogVersion: prepare(SQL.catalogVersion),
      lastTransaction: prepare(SQL.lastTransaction), lastEntry: prepare(SQL.lastEntry),
      customer: prepare(SQL.hintedCustomer), key: prepare(SQL.key), lastKey: prepare(SQL.lastKey),
      account: prepare(SQL.account), bufferedAccount: prepare(SQL.bufferedAccount),
      lastPlainTransaction: prepare(SQL.lastPlainTransaction), lastRun: prepare(SQL.lastRun),
      runOfTransaction: prepare(SQL.runOfTransaction), addPlainTransaction: prepare(SQL.addPlainTransaction),
      addKey: prepare(SQL.addKey),
      setAccount: prepare(SQL.setAccount), bufferAccount: prepare(SQL.bufferAccount),
      countAccounts: prepare(SQL.accountsBuffer.count.description),
      endOfAccounts: prepare(SQL.accountsBuffer.end.description),
      moveAccounts: prepare(SQL.accountsBuffer.move.description),
      removeAccounts: prepare(SQL.accountsBuffer.remove.description))
    self.database = database
    self.createdAt = createdAt
    if number(prepare(SQL.lastAccount)) >> 10 > sizes.customers { buffered = sizes.limit + 1 }
  }

  package func close() {
    var statement = sqlite3_next_stmt(database, nil)
    while let current = statement {
      statement = sqlite3_next_stmt(database, current)
      sqlite3_finalize(current)
    }
    sqlite3_close(database)
    row.deallocate()
  }

  /// Books the operations in one commit.
  package func book(_ group: ArraySlice<Operation>) -> UInt64 {
    run(statements.begin)
    _ = number(statements.catalogVersion)
    _ = number(statements.lastTransaction)
    _ = number(statements.lastEntry)
    // The file is the ledger's, whose last transactions have one entry each.
    var transaction = number(statements.lastPlainTransaction)
    sqlite3_bind_int64(statements.runOfTransaction, 1, transaction)
    let first = number(statements.runOfTransaction)
    precondition(first > 0 && first == number(statements.lastRun), "no run")
    var entry = transaction - first + number(statements.runOfTransaction, 1)
    var checksum: UInt64 = 0
    let lastKey = lastKey()
    for operation in group {
      transaction += 1
      entry += 1
      checksum &+= book(operation, transaction: transaction, entry: entry, lastKey: lastKey)
    }
    flushBuffer()
    run(statements.commit)
    return checksum
  }

  private func book(
    _ operation: Operation, transaction: Int64, entry: Int64, lastKey: (UInt64, UInt64)
  ) -> UInt64 {
    let customer = find(operation.customer, operation.number)
    let isGreatest = (operation.key.0.bigEndian, operation.key.1.bigEndian) > lastKey
    let isNew =
      isGreatest
      || withUnsafeBytes(of: operation.key) { bytes in
        sqlite3_bind_blob(statements.key, 1, bytes.baseAddress, 16, nil)
        sqlite3_bind_int64(statements.key, 2, customer)
        defer { sqlite3_reset(statements.key) }
        return sqlite3_step(statements.key) == SQLITE_DONE
      }
    guard isNew else { return 0 }
    if !load(statements.bufferedAccount, customer << 10 | 1) {
      precondition(load(statements.account, customer << 10 | 1), "no account")
    }

    let previous = row[4]
    row[0] -= 1
    row[3] += 1
    row[4] = entry
    row[9] -= 1
    add(transaction: transaction, account: customer << 10 | 1, previous: previous)
    add(key: operation, customer: customer, transaction: transaction)
    let write = buffered == nil ? statements.setAccount : statements.bufferAccount
    for column in 0..<11 { sqlite3_bind_int64(write, Int32(column + 1), row[column]) }
    sqlite3_bind_null(write, 12)
    sqlite3_bind_int64(write, 13, customer << 10 | 1)
    sqlite3_bind_null(write, 14)
    run(write)
    buffered? += 1
    return UInt64(row[0])
  }

  private func load(_ statement: OpaquePointer, _ account: Int64) -> Bool {
    sqlite3_bind_int64(statement, 1, account)
    defer { sqlite3_reset(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else { return false }
    for column in 0..<12 { row[column] = sqlite3_column_int64(statement, Int32(column)) }
    return true
  }

  /// The bytes of the greatest key of the table.
  private func lastKey() -> (UInt64, UInt64) {
    defer { sqlite3_reset(statements.lastKey) }
    guard sqlite3_step(statements.lastKey) == SQLITE_ROW, sqlite3_column_type(statements.lastKey, 0) == SQLITE_BLOB,
      let bytes = sqlite3_column_blob(statements.lastKey, 0)
    else { return (0, 0) }
    return (
      bytes.loadUnaligned(as: UInt64.self).bigEndian, bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
    )
  }

  private func flushBuffer() {
    guard let most = buffered, most > sizes.limit else { return }
    var count = Int(number(statements.countAccounts))
    while count > sizes.limit {
      sqlite3_bind_int64(statements.endOfAccounts, 1, lastMoved)
      sqlite3_bind_int64(statements.endOfAccounts, 2, Int64(sizes.step) - 1)
      let end = number(statements.endOfAccounts)
      for statement in [statements.moveAccounts, statements.removeAccounts] {
        sqlite3_bind_int64(statement, 1, lastMoved)
        sqlite3_bind_int64(statement, 2, end == 0 ? .max : end)
        run(statement)
      }
      count -= Int(sqlite3_changes(database))
      lastMoved = end == 0 ? .min : end
    }
    buffered = count
  }

  private func find(_ id: String, _ number: Int64) -> Int64 {
    sqlite3_bind_int64(statements.customer, 1, number)
    defer { sqlite3_reset(statements.customer) }
    precondition(sqlite3_step(statements.customer) == SQLITE_ROW, "no such customer")
    var id = id
    let isRight = id.withUTF8 { bytes in
      bytes.elementsEqual(
        UnsafeBufferPointer(
          start: sqlite3_column_text(statements.customer, 4), count: Int(sqlite3_column_bytes(statements.customer, 4))))
    }
    precondition(isRight, "another customer")
    return sqlite3_column_int64(statements.customer, 0)
  }

  private func add(key operation: Operation, customer: Int64, transaction: Int64) {
    let statement = statements.addKey
    withUnsafeBytes(of: operation.key) { bytes in
      sqlite3_bind_blob(statement, 1, bytes.baseAddress, 16, nil)
      sqlite3_bind_int64(statement, 2, customer)
      sqlite3_bind_int64(statement, 3, operation.asked)
      sqlite3_bind_int64(statement, 4, 0)
      sqlite3_bind_int64(statement, 5, transaction)
      sqlite3_bind_null(statement, 6)
      run(statement)
    }
  }

  private func add(transaction: Int64, account: Int64, previous: Int64) {
    let statement = statements.addPlainTransaction
    sqlite3_bind_int64(statement, 1, transaction)
    sqlite3_bind_int64(statement, 2, EntryKind.spend.rawValue)
    sqlite3_bind_int64(statement, 3, createdAt)
    sqlite3_bind_int64(statement, 4, account)
    sqlite3_bind_int64(statement, 5, -1)
    sqlite3_bind_int64(statement, 6, row[0])
    sqlite3_bind_int64(statement, 7, row[3])
    sqlite3_bind_int64(statement, 8, previous)
    sqlite3_bind_int64(statement, 9, row[5])
    // A digest takes eight bytes.
    sqlite3_bind_int64(statement, 10, Int64(bitPattern: UInt64(transaction) &* 0x9E37_79B9_7F4A_7C15))
    sqlite3_bind_null(statement, 11)
    run(statement)
  }

  private func run(_ statement: OpaquePointer) {
    guard sqlite3_step(statement) == SQLITE_DONE else { preconditionFailure(String(cString: sqlite3_errmsg(database))) }
    sqlite3_reset(statement)
  }

  private func number(_ statement: OpaquePointer, _ column: Int32 = 0) -> Int64 {
    defer { sqlite3_reset(statement) }
    return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, column) : 0
  }
}
