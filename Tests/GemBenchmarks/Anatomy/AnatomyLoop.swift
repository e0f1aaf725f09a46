internal import CSQLite
internal import GemLedgerSQLite

/// A bare loop over SQLite's C API that writes rows of a stated layout, in groups of 256.
final class AnatomyLoop: Benchmark {
  static let groupSize = 256
  /// A page and the header of its frame in the log.
  static let bytesPerFrame = 4096 + 24

  let name: String
  let operationCount: Int
  let batchSize = AnatomyLoop.groupSize
  private let layout: RowLayout
  private let customerCount: Int
  private let path: String
  private var generator = SplitMix64(seed: 42)
  private var database: OpaquePointer?
  private var statements = [OpaquePointer?](repeating: nil, count: Statement.allCases.count)
  /// The columns of the row at hand.
  private let row = UnsafeMutablePointer<Int64>.allocate(capacity: 14)
  private var operations: [Operation] = []
  private var log = Log()
  private var number: Int64
  private var lastKey: UInt64 = 0
  private let sizes = TableSizes()
  private var bufferedCount = 0
  private var lastMoved: Int64 = 0

  private struct Operation {
    let customer: Int64
    let id: String
    let key: (UInt64, UInt64)
    let digest: Int64
  }

  /// The pages that were written to the log.
  struct Log {
    var pages = 0
    var groups = 0
    var frames = 0
  }

  private enum Statement: Int, CaseIterable {
    case begin, commit, customer, hintedCustomer, key, lastKey, account, bufferedAccount, addKey, setAccount
    case bufferAccount, addEntry, addTransaction, sums, setSums, lastEntry, end, move, remove
  }

  init(_ step: RowLayout.Step, customerCount: Int, operationCount: Int, path: String) {
    name = step.name
    layout = step.layout
    self.customerCount = customerCount
    self.operationCount = operationCount
    self.path = path
    number = Int64(customerCount)
  }

  /// The pages of the log that a group writes.
  var pagesPerGroup: Double { Double(log.pages) / Double(max(1, log.groups)) }

  // MARK: The file

  func setUp() {
    sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    execute("PRAGMA journal_mode = WAL")
    execute(SQL.settings)
    execute("PRAGMA synchronous = OFF; BEGIN")
    for sql in layout.tables + layout.rows(customers: customerCount) { execute(sql) }
    execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA synchronous = FULL")
    for statement in Statement.allCases {
      guard let sql = text(of: statement) else { continue }
      var prepared: OpaquePointer?
      let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
      precondition(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(database))): \(sql)")
      statements[statement.rawValue] = prepared
    }
    // The object outlives its connection, which is closed in `tearDown`.
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_wal_hook(
      database,
      { context, database, _, frames in
        guard let context else { return SQLITE_OK }
        let loop = Unmanaged<AnatomyLoop>.fromOpaque(context).takeUnretainedValue()
        loop.log.pages += Int(frames) - (Int(frames) < loop.log.frames ? 0 : loop.log.frames)
        loop.log.groups += 1
        loop.log.frames = Int(frames)
        guard Int(frames) >= SQL.checkpointPages else { return SQLITE_OK }
        return sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
      }, context)
  }

  func tearDown() {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close(database)
    row.deallocate()
  }

  private func execute(_ sql: String) {
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    precondition(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(database))): \(sql)")
  }

  private func parameters(_ count: Int) -> String { (1...count).map { "?\($0)" }.joined(separator: ", ") }

  private var entryColumnCount: Int { layout.contains(.oneRow) ? 12 : layout.contains(.entryColumns) ? 10 : 6 }

  private func text(of statement: Statement) -> String? {
    switch statement {
    case .begin: "BEGIN IMMEDIATE"
    case .commit: "COMMIT"
    case .customer:
      "SELECT c.customer, c.frozen, c.merged_into FROM aliases a JOIN customers c USING (customer) WHERE a.id = ?1"
    case .hintedCustomer: "SELECT customer, frozen, merged_into, id FROM customers WHERE customer = ?1"
    case .key: layout.contains(.keyColumns) ? SQL.key : "SELECT transaction_number FROM keys WHERE key = ?1"
    case .lastKey: SQL.lastKey
    case .account:
      layout.contains(.accountColumns) ? SQL.account : "SELECT balance FROM account_rows WHERE account = ?1"
    case .bufferedAccount:
      layout.contains(.buffer) ? SQL.account.replacing("FROM account_rows", with: "FROM buffer") : nil
    case .addKey: "INSERT INTO keys VALUES (\(parameters(layout.contains(.keyColumns) ? 6 : 2)))"
    case .setAccount:
      layout.contains(.accountColumns) ? SQL.setAccount : "UPDATE account_rows SET balance = ?1 WHERE account = ?13"
    case .bufferAccount:
      layout.contains(.buffer)
        ? SQL.bufferAccount.replacing("accounts_buffer", with: "buffer") : nil
    case .addEntry:
      "INSERT INTO entries VALUES (\(parameters(entryColumnCount)))"
    case .addTransaction:
      layout.contains(.transactionRow) && !layout.contains(.oneRow)
        ? "INSERT INTO transactions VALUES (\(parameters(layout.contains(.digest) ? 7 : 5)))" : nil
    case .sums: "SELECT transactions, customers FROM sums WHERE one = 1"
    case .setSums: "UPDATE sums SET transactions = ?1, customers = ?2 WHERE one = 1"
    case .lastEntry: "SELECT number FROM entries ORDER BY number DESC LIMIT 1"
    case .end:
      layout.contains(.buffer)
        ? "SELECT account FROM buffer WHERE account > ?1 ORDER BY account LIMIT 1 OFFSET ?2" : nil
    case .move:
      layout.contains(.buffer)
        ? """
        INSERT OR REPLACE INTO account_rows SELECT * FROM buffer WHERE account > ?1 AND account <= ?2 ORDER BY account
        """ : nil
    case .remove: layout.contains(.buffer) ? "DELETE FROM buffer WHERE account > ?1 AND account <= ?2" : nil
    }
  }

  // MARK: A group

  func prepare(_ count: Int) {
    operations = (0..<count).map { _ in
      let customer = Int64(generator.next() % UInt64(customerCount)) + 1
      lastKey += 1
      return Operation(
        customer: customer, id: "customer-\(customer - 1)", key: (lastKey.bigEndian, generator.next()),
        digest: Int64(bitPattern: generator.next()))
    }
  }

  func run() -> UInt64 {
    step(.begin)
    if layout.contains(.sums) { _ = read(.lastEntry, 1) }
    if layout.contains(.keyOrder) { _ = read(.lastKey, 0) }
    for operation in operations { book(operation) }
    if layout.contains(.buffer) { flush() }
    if layout.contains(.sums), read(.sums, 2) {
      bind(.setSums, row[0] &+ (operations.last?.digest ?? 0), row[1])
      step(.setSums)
    }
    step(.commit)
    return UInt64(operations.count)
  }

  private func book(_ operation: Operation) {
    number += 1
    let (customer, account) = (find(operation), operation.customer << 10 | 1)
    if layout.contains(.keyRead), !layout.contains(.keyOrder) {
      withUnsafeBytes(of: operation.key) { bytes in
        _ = sqlite3_bind_blob(statements[Statement.key.rawValue], 1, bytes.baseAddress, 16, nil)
        if layout.contains(.keyColumns) { sqlite3_bind_int64(statements[Statement.key.rawValue], 2, customer) }
        precondition(!read(.key, 0), "the key is not new")
      }
    }
    let isWide = layout.contains(.accountColumns)
    var isBuffered = false
    if layout.contains(.buffer) {
      bind(.bufferedAccount, account)
      isBuffered = read(.bufferedAccount, 12)
    }
    if !isBuffered {
      bind(.account, account)
      precondition(read(.account, isWide ? 12 : 1), "no account")
    }
    let previous = isWide ? row[4] : 0
    row[0] -= 1
    if isWide {
      row[3] += 1
      row[4] = number
      row[9] -= 1
    }
    writeJournal(operation, customer: customer, account: account, previous: previous)
    writeKey(operation, customer: customer)
    let write = layout.contains(.buffer) ? Statement.bufferAccount : .setAccount
    let statement = statements[write.rawValue]
    for column in 0..<(isWide ? 11 : 1) { sqlite3_bind_int64(statement, Int32(column) + 1, row[column]) }
    sqlite3_bind_int64(statement, 13, account)
    step(write)
    if layout.contains(.buffer), !isBuffered { bufferedCount += 1 }
  }

  private func find(_ operation: Operation) -> Int64 {
    guard layout.contains(.customer) else { return operation.customer }
    if layout.contains(.hints) {
      bind(.hintedCustomer, operation.customer)
    } else {
      var id = operation.id
      id.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          // SQLite copies the text: -1 is SQLITE_TRANSIENT.
          _ = sqlite3_bind_text(
            statements[Statement.customer.rawValue], 1, characters.baseAddress, Int32(bytes.count),
            unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
      }
    }
    precondition(read(layout.contains(.hints) ? .hintedCustomer : .customer, 3), "no customer")
    return row[0]
  }

  private func writeJournal(_ operation: Operation, customer: Int64, account: Int64, previous: Int64) {
    let (createdAt, kind, digest) = (1_790_000_000_000 + number, Int64(4), operation.digest)
    if layout.contains(.oneRow) {
      bind(.addEntry, number, account, kind, createdAt, -1, row[0], 0, row[3], previous, row[5], digest)
      return step(.addEntry)
    }
    if layout.contains(.transactionRow) {
      if layout.contains(.digest) {
        bind(.addTransaction, number, kind, customer, createdAt, number, digest)
      } else {
        bind(.addTransaction, number, kind, customer, createdAt, number)
      }
      step(.addTransaction)
    }
    if layout.contains(.entryColumns) {
      bind(.addEntry, number, number, account, kind, -1, row[0], 0, row[3], previous, row[5])
    } else {
      bind(.addEntry, number, account, -1, row[0] + 1, row[0], createdAt)
    }
    step(.addEntry)
  }

  private func writeKey(_ operation: Operation, customer: Int64) {
    withUnsafeBytes(of: operation.key) { bytes in
      _ = sqlite3_bind_blob(statements[Statement.addKey.rawValue], 1, bytes.baseAddress, 16, nil)
      let statement = statements[Statement.addKey.rawValue]
      if layout.contains(.keyColumns) {
        sqlite3_bind_int64(statement, 2, customer)
        sqlite3_bind_int64(statement, 3, operation.digest)
        sqlite3_bind_int64(statement, 4, 0)
        sqlite3_bind_int64(statement, 5, number)
      } else {
        sqlite3_bind_int64(statement, 2, number)
      }
      step(.addKey)
    }
  }

  private func flush() {
    while bufferedCount > sizes.limit {
      bind(.end, lastMoved, Int64(sizes.step) - 1)
      let end = read(.end, 1) ? row[0] : .max
      for statement in [Statement.move, .remove] {
        bind(statement, lastMoved, end)
        step(statement)
      }
      bufferedCount -= Int(sqlite3_changes(database))
      lastMoved = end == .max ? 0 : end
    }
  }

  // MARK: Statements

  @inline(__always)
  private func bind(_ statement: Statement, _ values: Int64...) {
    for (index, value) in values.enumerated() {
      sqlite3_bind_int64(statements[statement.rawValue], Int32(index) + 1, value)
    }
  }

  /// Reads the first columns of the statement's row, if it has one.
  private func read(_ statement: Statement, _ count: Int) -> Bool {
    defer { sqlite3_reset(statements[statement.rawValue]) }
    guard sqlite3_step(statements[statement.rawValue]) == SQLITE_ROW else { return false }
    for column in 0..<count { row[column] = sqlite3_column_int64(statements[statement.rawValue], Int32(column)) }
    return true
  }

  private func step(_ statement: Statement) {
    let code = sqlite3_step(statements[statement.rawValue])
    precondition(code == SQLITE_DONE, String(cString: sqlite3_errmsg(database)))
    sqlite3_reset(statements[statement.rawValue])
  }
}
