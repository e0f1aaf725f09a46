/// What the rows of one adjustment have, from the naive loop's to the ledger's.
struct RowLayout: OptionSet {
  let rawValue: Int

  /// The customer is found by id, through a table of ids.
  static let customer = RowLayout(rawValue: 1 << 0)
  /// The key is looked up before it is inserted.
  static let keyRead = RowLayout(rawValue: 1 << 1)
  /// The key's row has the customer, the request's digests and a refusal.
  static let keyColumns = RowLayout(rawValue: 1 << 2)
  /// The account's row has the debt, the held amount, the version, the last entry, a lot and the next instants.
  static let accountColumns = RowLayout(rawValue: 1 << 3)
  /// The entry's row has the transaction, the kind, the debt, the version, the previous entry and the lot.
  static let entryColumns = RowLayout(rawValue: 1 << 4)
  /// Each transaction has a row besides the row of its entry.
  static let transactionRow = RowLayout(rawValue: 1 << 5)
  /// The transaction's row has a digest.
  static let digest = RowLayout(rawValue: 1 << 6)
  /// SQLite checks the type of each value.
  static let strict = RowLayout(rawValue: 1 << 7)
  /// SQLite checks the amounts.
  static let checks = RowLayout(rawValue: 1 << 8)
  /// Each group reads the last numbers, and adds its digests to the sums of all rows.
  static let sums = RowLayout(rawValue: 1 << 9)
  /// The customer is found by number, and the row proves the id.
  static let hints = RowLayout(rawValue: 1 << 10)
  /// A key after all keys is not looked up.
  static let keyOrder = RowLayout(rawValue: 1 << 11)
  /// Changed accounts are written to a small table, and moved on in their order.
  static let buffer = RowLayout(rawValue: 1 << 12)
  /// A transaction of one entry has one row for both.
  static let oneRow = RowLayout(rawValue: 1 << 13)

  /// A step from the layout before it.
  struct Step {
    let name: String
    let layout: RowLayout
  }

  /// Each step adds to the layout before it.
  static let steps: [Step] = {
    var layout: RowLayout = []
    var steps = [Step(name: "naive: key, balance, entry", layout: [])]
    for (name, part) in [
      ("+ customer by id", customer), ("+ key read first", keyRead), ("+ key's columns", keyColumns),
      ("+ account's columns", accountColumns), ("+ entry's columns", entryColumns),
      ("+ row of the transaction", transactionRow), ("+ digest", digest), ("+ STRICT", strict), ("+ CHECK", checks),
      ("+ sums and last numbers", sums), ("+ hints of customers", hints), ("+ keys in order not read", keyOrder),
      ("+ buffer of accounts", buffer),
      ("+ one row for transaction and entry", oneRow),
    ] as [(String, RowLayout)] {
      layout.insert(part)
      steps.append(Step(name: name, layout: layout))
    }
    return steps
  }()
}

extension RowLayout {
  /// The statements that create the tables.
  var tables: [String] {
    let strictness = contains(.strict) ? "STRICT" : ""
    let rowless = contains(.strict) ? "STRICT, WITHOUT ROWID" : "WITHOUT ROWID"
    func check(_ condition: String) -> String { contains(.checks) ? " CHECK (\(condition))" : "" }
    var tables = [
      contains(.keyColumns)
        ? """
        CREATE TABLE keys (key \(contains(.strict) ? "ANY" : "BLOB") NOT NULL, customer INTEGER NOT NULL,
          request_digest INTEGER NOT NULL, qualifier_digest INTEGER NOT NULL, transaction_number INTEGER, refusal TEXT,
          PRIMARY KEY (key, customer)) \(rowless)
        """ : "CREATE TABLE keys (key BLOB PRIMARY KEY, transaction_number INTEGER NOT NULL) WITHOUT ROWID",
      """
      CREATE TABLE customers (customer INTEGER PRIMARY KEY, id TEXT, created_at INTEGER NOT NULL,
        frozen INTEGER NOT NULL, merged_into INTEGER NOT NULL, merged_count INTEGER NOT NULL) \(strictness)
      """,
      "CREATE TABLE aliases (id TEXT PRIMARY KEY, customer INTEGER NOT NULL) \(rowless)",
      """
      CREATE TABLE sums (one INTEGER PRIMARY KEY, transactions INTEGER NOT NULL, customers INTEGER NOT NULL)
        \(strictness)
      """,
      "INSERT INTO sums VALUES (1, 0, 0)",
    ]
    let account =
      contains(.accountColumns)
      ? """
      (account INTEGER PRIMARY KEY, balance INTEGER NOT NULL\(check("balance >= 0")),
        debt INTEGER NOT NULL\(check("debt >= 0")), held INTEGER NOT NULL\(check("held >= 0")),
        version INTEGER NOT NULL, last_entry INTEGER NOT NULL, pool_lot INTEGER NOT NULL,
        pool_source INTEGER NOT NULL, pool_environment INTEGER NOT NULL, pool_granted INTEGER NOT NULL,
        pool_remaining INTEGER NOT NULL\(check("pool_remaining >= 0")), open_lots INTEGER NOT NULL,
        next_expiry INTEGER, next_scheduled_at INTEGER) \(strictness)
      """ : "(account INTEGER PRIMARY KEY, balance INTEGER NOT NULL)"
    tables.append("CREATE TABLE account_rows \(account)")
    if contains(.buffer) { tables.append("CREATE TABLE buffer \(account)") }
    if contains(.oneRow) {
      tables.append(
        """
        CREATE TABLE entries (number INTEGER PRIMARY KEY, account INTEGER NOT NULL, kind INTEGER NOT NULL,
          created_at INTEGER NOT NULL, amount INTEGER NOT NULL\(check("amount <> 0")),
          balance INTEGER NOT NULL\(check("balance >= 0")), debt INTEGER NOT NULL\(check("debt >= 0")),
          version INTEGER NOT NULL, previous INTEGER NOT NULL, lot INTEGER NOT NULL, digest INTEGER NOT NULL,
          erasable_digest INTEGER) \(strictness)
        """)
      return tables
    }
    tables.append(
      contains(.entryColumns)
        ? """
        CREATE TABLE entries (number INTEGER PRIMARY KEY, transaction_number INTEGER NOT NULL,
          account INTEGER NOT NULL, kind INTEGER NOT NULL, amount INTEGER NOT NULL\(check("amount <> 0")),
          balance INTEGER NOT NULL\(check("balance >= 0")), debt INTEGER NOT NULL\(check("debt >= 0")),
          version INTEGER NOT NULL, previous INTEGER NOT NULL, lot INTEGER NOT NULL) \(strictness)
        """
        : """
        CREATE TABLE entries (number INTEGER PRIMARY KEY, account INTEGER NOT NULL, amount INTEGER NOT NULL,
          before INTEGER NOT NULL, balance INTEGER NOT NULL, created_at INTEGER NOT NULL) \(strictness)
        """)
    if contains(.transactionRow) {
      tables.append(
        """
        CREATE TABLE transactions (number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, customer INTEGER NOT NULL,
          created_at INTEGER NOT NULL, first_entry INTEGER NOT NULL\(contains(.digest)
            ? ", digest INTEGER NOT NULL, erasable_digest INTEGER" : "")) \(strictness)
        """)
    }
    return tables
  }

  /// The statements that fill the tables with customers.
  func rows(customers: Int) -> [String] {
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(customers))"
    let account =
      contains(.accountColumns) ? "1000000, 0, 0, 1, i, i, 1, 1, 1000000, 1000000, 0, NULL, NULL" : "1000000"
    return [
      "\(numbers) INSERT INTO account_rows SELECT i << 10 | 1, \(account) FROM n",
      "\(numbers) INSERT INTO customers SELECT i, 'customer-' || (i - 1), 1790000000000, 0, 0, 0 FROM n",
      "INSERT INTO aliases SELECT id, customer FROM customers ORDER BY id",
    ]
  }
}
