#if PostgreSQL
internal import GemLedger

extension PostgresSession {
  /// Cursors inside the transaction that is open; each transaction needs a scan of its own.
  func scan() throws(LedgerError) -> any StorageScan {
    if let openScan { return openScan }
    let scan = try PostgresScan(self)
    openScan = scan
    return scan
  }
}

/// Reads tables from end to end by cursors: the server sorts each table a single time, and not again for every page.
final class PostgresScan: StorageScan {
  /// A column of the position where a page ended.
  enum CursorValue: Equatable {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    /// As the server orders a column: texts by their bytes.
    static func < (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.integer(let one), .integer(let other)): one < other
      case (.text(let one), .text(let other)): one.utf8.lexicographicallyPrecedes(other.utf8)
      case (.bytes(let one), .bytes(let other)): one.lexicographicallyPrecedes(other)
      case (.integer, _), (.text, _), (.bytes, _): false
      }
    }
  }

  let session: PostgresSession
  /// Behind which row each open cursor stands.
  private var positions: [String: [CursorValue]] = [:]

  fileprivate init(_ session: PostgresSession) throws(LedgerError) {
    self.session = session
    // Open cursors of an earlier scan would conflict. The time-outs are raised: sorting a large table takes time, the
    // scan asks for all rows, and a check of the books may pause between two pages.
    let settings = [
      "CLOSE ALL", "SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = '10min'",
      "SET LOCAL cursor_tuple_fraction = 1", "SET LOCAL work_mem = '64MB'", "SET LOCAL enable_seqscan = on",
      "SET LOCAL enable_hashjoin = on", "SET LOCAL enable_mergejoin = on",
    ]
    _ = try session.ask(settings.map { PostgresRequest($0) })
    session.connection.waitsForLong = true
  }

  deinit { session.connection.waitsForLong = false }

  /// Returns no findings: the server itself reports damage below the level of rows when it reads them.
  func beginIntegrityCheck() -> () throws(LedgerError) -> [String] { { [] } }

  /// - Parameters:
  ///   - name: Of the cursor.
  ///   - select: Selects from the first row behind the position in its parameters, in that order.
  ///   - position: The position of a row in that order.
  func page<Row>(
    _ name: String, _ select: String, after: [CursorValue], _ limit: Int, _ read: (PostgresRows, Int) -> Row,
    position: (Row) -> [CursorValue]
  ) throws(LedgerError) -> [Row] {
    var requests: [PostgresRequest] = []
    if positions[name] != after {
      if positions[name] != nil { requests.append(PostgresRequest("CLOSE scan_\(name)")) }
      requests.append(
        PostgresRequest("DECLARE scan_\(name) NO SCROLL CURSOR FOR \(select)") { Self.add(after, to: &$0) })
    }
    requests.append(PostgresRequest("FETCH \(limit) FROM scan_\(name)"))
    guard let rows = try session.ask(requests).last else { throw .defect("A cursor had no answer") }
    let found = (0..<rows.count).map { read(rows, $0) }
    let end = found.last.map(position) ?? after
    // An index that is damaged could lead back, and its pages be read without end.
    guard found.isEmpty || after.lexicographicallyPrecedes(end, by: <) else {
      throw .leadsBack(name.replacing("_", with: " "))
    }
    positions[name] = end
    return found
  }

  private static func add(_ values: [CursorValue], to parameters: inout PostgresParameters) {
    for position in values {
      switch position {
      case .integer(let value): parameters.add(value)
      case .text(let value): parameters.add(value)
      case .bytes(let value): parameters.add(bytes: value)
      }
    }
  }
}

// MARK: The journal

extension PostgresScan {
  func transactions(after: TransactionNumber, limit: Int) throws(LedgerError) -> [TransactionRow] {
    try page(
      "transactions", "SELECT \(TransactionRow.columns) FROM transactions WHERE number > $1 ORDER BY number",
      after: [.integer(after)], limit, TransactionRow.read
    ) { [.integer($0.number)] }
  }

  func entries(after: EntryNumber, limit: Int) throws(LedgerError) -> [EntryRow] {
    try page(
      "entries", "SELECT \(EntryRow.columns) FROM entries WHERE number > $1 ORDER BY number",
      after: [.integer(after)], limit, EntryRow.read
    ) { [.integer($0.number)] }
  }

  func allocations(after: AllocationRow?, limit: Int) throws(LedgerError) -> [AllocationRow] {
    func position(_ row: AllocationRow) -> [CursorValue] { [.integer(row.entry), .integer(row.position)] }
    return try page(
      "allocations",
      """
      SELECT \(AllocationRow.columns) FROM allocations WHERE (entry, position) > ($1, $2) ORDER BY entry, position
      """, after: after.map(position) ?? [.integer(-1), .integer(-1)], limit, AllocationRow.read, position: position)
  }

  /// In the order of customers: a key lies beside its customer's transactions.
  func keys(after: KeyScanPosition?, limit: Int) throws(LedgerError) -> [(KeyRow, KeyScanPosition)] {
    func position(_ row: KeyRow) -> [CursorValue] { [.integer(row.customer), .bytes(PostgresKey.bytes(row.key))] }
    let rows = try page(
      "keys",
      """
      SELECT customer, key, request_digest, qualifier_digest, transaction_number, refusal FROM keys
      WHERE (customer, key) > ($1, $2) ORDER BY customer, key
      """, after: after?.row.map(position) ?? [.integer(-1), .bytes([])], limit, Self.key, position: position)
    return rows.map { ($0, KeyScanPosition(position: 0, row: $0)) }
  }

  private static func key(_ rows: PostgresRows, _ row: Int) -> KeyRow {
    // A key with neither is a problem to be reported, not an error: no transaction has number 0.
    let kept = rows.optionalText(row, 5).flatMap(LedgerError.init(stored:)).map(KeyRow.Outcome.refused)
    return KeyRow(
      customer: rows.integer(row, 0), key: rows.withBytes(row, 1, PostgresKey.key),
      fingerprint: Fingerprint(asked: rows.integer(row, 2), qualifiers: rows.integer(row, 3)),
      outcome: rows.optionalInteger(row, 4).map(KeyRow.Outcome.booked) ?? kept ?? .booked(0))
  }

  func itemEntries(after: ItemEntryRow?, limit: Int) throws(LedgerError) -> [ItemEntryRow] {
    func position(_ row: ItemEntryRow) -> [CursorValue] {
      [.integer(row.transaction), .text(row.item.text), .integer(row.customer)]
    }
    return try page(
      "item_entries",
      """
      SELECT \(ItemEntryRow.columns) FROM item_entries WHERE (transaction_number, item, customer) > ($1, $2, $3)
      ORDER BY transaction_number, item, customer
      """, after: after.map(position) ?? [.integer(-1), .text(""), .integer(-1)], limit, ItemEntryRow.read,
      position: position)
  }

  /// One row a lot, also of those that moved and have a row with each of their customers.
  func lotAttributes(after: LotNumber, limit: Int) throws(LedgerError) -> [LotAttributesRow] {
    try page(
      "lot_terms",
      "SELECT DISTINCT ON (lot) \(LotAttributesRow.columns) FROM lot_attributes WHERE lot > $1 ORDER BY lot, customer",
      after: [.integer(after)], limit, LotAttributesRow.read
    ) { [.integer($0.lot)] }
  }

  func merges(after: TransactionNumber, limit: Int) throws(LedgerError) -> [MergeRow] {
    try page(
      "merges",
      """
      SELECT transaction_number, from_customer, customer FROM merges WHERE transaction_number > $1
      ORDER BY transaction_number
      """, after: [.integer(after)], limit,
      { MergeRow(transaction: $0.integer($1, 0), from: $0.integer($1, 1), into: $0.integer($1, 2)) },
      position: { [.integer($0.transaction)] })
  }

  func refunds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [RefundRow] {
    try page(
      "refunds",
      "SELECT \(RefundRow.columns) FROM refunds WHERE transaction_number > $1 ORDER BY transaction_number",
      after: [.integer(after)], limit, RefundRow.read
    ) { [.integer($0.transaction)] }
  }

  func refundParts(after: RefundPartRow?, limit: Int) throws(LedgerError) -> [RefundPartRow] {
    func position(_ row: RefundPartRow) -> [CursorValue] { [.integer(row.transaction), .integer(row.position)] }
    return try page(
      "refund_parts",
      """
      SELECT \(RefundPartRow.columns) FROM \(RefundPartRow.table) WHERE (transaction_number, position) > ($1, $2)
      ORDER BY transaction_number, position
      """, after: after.map(position) ?? [.integer(-1), .integer(-1)], limit, RefundPartRow.read, position: position)
  }
}

// MARK: Projections

extension PostgresScan {
  func accounts(after: AccountNumber, limit: Int) throws(LedgerError) -> [AccountRow] {
    func position(_ account: AccountNumber) -> [CursorValue] {
      [.integer(account.customer), .integer(account.currency)]
    }
    return try page(
      "accounts",
      """
      SELECT \(AccountRow.columns) FROM accounts WHERE (customer, currency) > ($1, $2) ORDER BY customer, currency
      """, after: position(after), limit, AccountRow.read
    ) { position($0.number) }
  }

  func lots(after: LotNumber, limit: Int) throws(LedgerError) -> [LotRow] {
    try page(
      "lots", "SELECT \(LotRow.columns) FROM lots WHERE lot > $1 ORDER BY lot", after: [.integer(after)], limit,
      LotRow.read
    ) { [.integer($0.number)] }
  }

  func purchases(after: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
    try page(
      "purchases",
      """
      SELECT \(PurchaseRow.columns) FROM \(PurchaseRow.tables)
      WHERE p.purchase > $1 AND \(PurchaseRow.isNewestRefund) ORDER BY p.purchase
      """, after: [.integer(after)], limit, PurchaseRow.read
    ) { [.integer($0.number)] }
  }

  func refundStates(after: Int64, limit: Int) throws(LedgerError) -> [RefundStateRow] {
    try page(
      "refund_states",
      """
      SELECT DISTINCT ON (purchase) purchase, share, share_of, coalesce(evidence_at, signed_at) AS evidence_at,
        transaction_number
      FROM refunds WHERE purchase > $1 ORDER BY purchase, transaction_number DESC
      """, after: [.integer(after)], limit,
      {
        RefundStateRow(
          purchase: $0.integer($1, 0), share: $0.share($1, 1),
          evidenceAt: Timestamp(milliseconds: $0.integer($1, 3)), transaction: $0.integer($1, 4))
      },
      position: { [.integer($0.purchase)] })
  }

  func checkpoints(after: CheckpointRow?, limit: Int) throws(LedgerError) -> [CheckpointRow] {
    func position(_ row: CheckpointRow) -> [CursorValue] {
      [.integer(row.account.customer), .integer(row.account.currency), .integer(row.version)]
    }
    return try page(
      "anchors",
      """
      SELECT \(CheckpointRow.columns) FROM checkpoints WHERE (customer, currency, version) > ($1, $2, $3)
      ORDER BY customer, currency, version
      """, after: after.map(position) ?? [.integer(-1), .integer(-1), .integer(-1)], limit, CheckpointRow.read,
      position: position)
  }

  func ownedItems(after: OwnedItemRow?, limit: Int) throws(LedgerError) -> [OwnedItemRow] {
    func position(_ row: OwnedItemRow) -> [CursorValue] { [.integer(row.customer), .text(row.item.text)] }
    return try page(
      "owned_items",
      """
      SELECT \(OwnedItemRow.columns) FROM owned_items WHERE (customer, item) > ($1, $2) ORDER BY customer, item
      """, after: after.map(position) ?? [.integer(-1), .text("")], limit, OwnedItemRow.read, position: position)
  }

  func customerIDs(after: CustomerID?, limit: Int) throws(LedgerError) -> [AddedIDRow] {
    // Nothing sorts before the empty text, which is no id.
    try page(
      "customer_ids", "SELECT customer, id FROM aliases WHERE id > $1 ORDER BY id", after: [.text(after?.text ?? "")],
      limit, { AddedIDRow(customer: $0.integer($1, 0), id: CustomerID(unchecked: $0.text($1, 1))) },
      position: { [.text($0.id.text)] })
  }

  func orders(after: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow] {
    try page(
      "orders", "SELECT \(OrderRow.columns) FROM orders WHERE number > $1 ORDER BY number",
      after: [.integer(after)], limit, OrderRow.read
    ) { [.integer($0.number)] }
  }
}
#endif
