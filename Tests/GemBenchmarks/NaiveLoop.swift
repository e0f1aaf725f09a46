internal import CSQLite

/// A minimal ledger as written in a hurry: a key, a balance and an entry, over the C API.
///
/// It has no lots, history, fingerprints or checks. Its keys are in order, which is the cheapest for it.
final class NaiveLoopBenchmark: Benchmark {
  let name: String
  let operationCount: Int
  let batchSize: Int
  private let customerCount: Int
  private let path: String
  private var generator = SplitMix64(seed: 42)
  private var lastKey: UInt64 = 0
  private var database: OpaquePointer?
  private var statements: [OpaquePointer] = []
  private var operations: [(key: (UInt64, UInt64), account: Int64)] = []

  init(_ name: String, customerCount: Int, operationCount: Int, groupSize: Int, path: String) {
    self.name = name
    self.customerCount = customerCount
    self.operationCount = operationCount
    batchSize = groupSize
    self.path = path
  }

  func setUp() {
    sqlite3_open(path, &database)
    execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
      PRAGMA wal_autocheckpoint = 10000;
      CREATE TABLE keys (key BLOB PRIMARY KEY, entry INTEGER) WITHOUT ROWID;
      CREATE TABLE accounts (account INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
      CREATE TABLE entries (entry INTEGER PRIMARY KEY, account INTEGER, amount INTEGER, before INTEGER, after INTEGER);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(customerCount))
        INSERT INTO accounts SELECT i, 1000000 FROM n;
      """)
    statements = [
      "INSERT INTO keys VALUES (?1, ?2)", "SELECT balance FROM accounts WHERE account = ?1",
      "UPDATE accounts SET balance = ?2 WHERE account = ?1", "INSERT INTO entries VALUES (NULL, ?1, ?2, ?3, ?4)",
    ].compactMap { sql in
      var statement: OpaquePointer?
      sqlite3_prepare_v2(database, sql, -1, &statement, nil)
      return statement
    }
  }

  func prepare(_ count: Int) {
    operations = (0..<count).map { _ in
      lastKey += 1
      return ((lastKey.bigEndian, generator.next()), Int64(generator.next() % UInt64(customerCount)) + 1)
    }
  }

  func run() -> UInt64 {
    execute("BEGIN IMMEDIATE")
    for operation in operations {
      withUnsafeBytes(of: operation.key) { bytes in
        sqlite3_bind_blob(statements[0], 1, bytes.baseAddress, 16, nil)
        sqlite3_bind_int64(statements[0], 2, 1)
        step(0)
      }
      sqlite3_bind_int64(statements[1], 1, operation.account)
      sqlite3_step(statements[1])
      let balance = sqlite3_column_int64(statements[1], 0)
      sqlite3_reset(statements[1])
      sqlite3_bind_int64(statements[2], 1, operation.account)
      sqlite3_bind_int64(statements[2], 2, balance - 1)
      step(2)
      sqlite3_bind_int64(statements[3], 1, operation.account)
      sqlite3_bind_int64(statements[3], 2, -1)
      sqlite3_bind_int64(statements[3], 3, balance)
      sqlite3_bind_int64(statements[3], 4, balance - 1)
      step(3)
    }
    execute("COMMIT")
    return UInt64(operations.count)
  }

  func tearDown() {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close(database)
  }

  private func step(_ index: Int) {
    let code = sqlite3_step(statements[index])
    precondition(code == SQLITE_DONE, "SQLite answered \(code)")
    sqlite3_reset(statements[index])
  }

  private func execute(_ sql: String) {
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    precondition(code == SQLITE_OK, "SQLite answered \(code)")
  }
}
