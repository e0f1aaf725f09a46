#if PostgreSQL
internal import GemLedger

extension PostgresSession {
  /// Returns cursors inside the open transaction; each transaction needs a separate scan.
  func scan() throws(LedgerError) -> any StorageScan {
    if let openScan { return openScan }
    let scan = try PostgresScan(self)
    openScan = scan
    return scan
  }
}

/// Reads whole tables with cursors: the server sorts each table once, not again for every page.
final class PostgresScan: StorageScan {
  /// The end of a page in the order of a table.
  private enum Position: Equatable {
    case row(RowKey)
    /// A customer's key, as its bytes in the table.
    case key(CustomerNumber, [UInt8])

    static func < (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.row(let one), .row(let other)): one < other
      case (.key(let one, let key), .key(let other, let otherKey)):
        one == other ? key.lexicographicallyPrecedes(otherKey) : one < other
      case (.row, .key), (.key, .row): false
      }
    }
  }

  let session: PostgresSession
  /// The last row read from each open cursor; nil before the first row.
  private var positions: [String: Position?] = [:]

  fileprivate init(_ session: PostgresSession) throws(LedgerError) {
    self.session = session
    // Open cursors of an earlier scan would conflict. The time-outs are raised: sorting a large table takes time, the
    // scan reads all rows, and a check of the books may pause between two pages.
    let settings = [
      "CLOSE ALL", "SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = '10min'",
      "SET LOCAL cursor_tuple_fraction = 1", "SET LOCAL work_mem = '64MB'", "SET LOCAL enable_seqscan = on",
      "SET LOCAL enable_hashjoin = on", "SET LOCAL enable_mergejoin = on",
    ]
    _ = try session.ask(settings.map { PostgresRequest($0) })
    session.connection.waitsForLong = true
    session.hasBegunScan = true
  }

  deinit { session.connection.waitsForLong = false }

  /// - Parameters:
  ///   - name: The name of the cursor.
  ///   - select: Selects the rows after the position in its parameters, in that order.
  ///   - after: The position; nil for the beginning.
  ///   - placed: Returns the position of a row in that order.
  private func page<Row>(
    _ name: String, _ select: String, after: Position?, _ limit: Int,
    _ read: (PostgresRows) throws(LedgerError) -> [Row],
    add: (inout PostgresParameters) -> Void, position placed: (Row) -> Position
  ) throws(LedgerError) -> [Row] {
    var requests: [PostgresRequest] = []
    let position = positions[name]
    if position != .some(after) {
      if position != nil { requests.append(PostgresRequest("CLOSE scan_\(name)")) }
      requests.append(PostgresRequest("DECLARE scan_\(name) NO SCROLL CURSOR FOR \(select)", add))
    }
    requests.append(PostgresRequest("FETCH \(limit) FROM scan_\(name)"))
    guard let rows = try session.ask(requests).last else { throw .defect("A cursor had no answer") }
    let found = try read(rows)
    let end = found.last.map(placed) ?? after
    // A damaged index could form a cycle, and its pages would be read endlessly.
    if let after, let end, !found.isEmpty, !(after < end) { throw .leadsBack(name.replacing("_", with: " ")) }
    positions.updateValue(end, forKey: name)
    return found
  }

  func page<Row: StoredRow>(after: Row?, limit: Int) throws(LedgerError) -> [Row] {
    if Row.self is KeyRow.Type { return try Row.rows(keys(after: after as? KeyRow, limit: limit)) }
    let source = Self.sources["\(Row.table)"] ?? Source(RowReader<Row>.table, RowReader<Row>.columns)
    let names = ColumnNames(of: Row.self, splitsAccounts: true).key
    let key = names.joined(separator: ", ")
    let parameters = (1...names.count).map { "$\($0)" }.joined(separator: ", ")
    let behind = after == nil ? "" : "WHERE (\(key)) > (\(parameters)) "
    return try page(
      "\(Row.table)", "SELECT \(source.columns) FROM \(source.table) \(behind)ORDER BY \(key)\(source.order)",
      after: after.map { .row(RowKey(of: $0)) }, limit, { (rows) throws(LedgerError) in try RowReader.rows([rows]) },
      add: { if let after { $0.add(keyOf: after) } }, position: { .row(RowKey(of: $0)) })
  }

  /// The source of a description's rows.
  private struct Source {
    let table: String
    /// The columns, in the order of the description.
    let columns: String
    /// Orders rows of one key; only the first is read.
    let order: String

    init(_ table: String, _ columns: String, thenBy order: String = "") {
      self.table = table
      self.columns = columns
      self.order = order
    }
  }

  /// The sources other than the table itself.
  private static let sources = [
    "\(AddedIDRow.table)": Source("aliases", AddedIDRow.columns),
    "\(EntitlementRow.table)": Source("entitlement_holders", EntitlementRow.columns),
    // One row for each lot: a lot that moved has one row for each of its customers.
    "\(LotAttributesRow.table)": Source(
      "lot_attributes", "DISTINCT ON (lot) " + LotAttributesRow.columns, thenBy: ", customer"),
    "\(RefundStateRow.table)": Source(
      "refunds",
      "DISTINCT ON (purchase) purchase, share, share_of, coalesce(evidence_at, signed_at) AS evidence_at, "
        + "transaction_number", thenBy: ", transaction_number DESC"),
  ]

  /// Returns keys in the order of customers: a key is stored with its customer's transactions.
  private func keys(after: KeyRow?, limit: Int) throws(LedgerError) -> [KeyRow] {
    func position(_ row: KeyRow) -> Position { .key(row.customer, PostgresKey.bytes(row.key)) }
    return try page(
      "keys",
      "SELECT \(KeyRow.columns) FROM keys WHERE (customer, key) > ($1, $2) ORDER BY customer, key",
      after: after.map(position), limit, { rows in (0..<rows.count).map { KeyRow.read(rows, $0) } },
      add: {
        $0.add(after?.customer ?? -1)
        $0.add(bytes: after.map { PostgresKey.bytes($0.key) } ?? [])
      }, position: position)
  }
}
#endif
