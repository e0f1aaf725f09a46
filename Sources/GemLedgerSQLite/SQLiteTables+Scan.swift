internal import GemLedger

extension SQLiteTables: StorageScan {
  func transactions(after: TransactionNumber, limit: Int) throws(LedgerError) -> [TransactionRow] {
    try page(
      """
      SELECT number, kind, customer, created_at, first_entry, digest, erasable_digest FROM transactions
      WHERE number > ?1 ORDER BY number LIMIT ?2
      """, after: after, limit, Self.transaction)
  }

  func entries(after: EntryNumber, limit: Int) throws(LedgerError) -> [EntryRow] {
    try page("SELECT * FROM entries WHERE number > ?1 ORDER BY number LIMIT ?2", after: after, limit, Self.entry)
  }

  func allocations(after: AllocationRow?, limit: Int) throws(LedgerError) -> [AllocationRow] {
    try scanned(
      """
      SELECT entry, position, lot, amount FROM allocations WHERE (entry, position) > (?1, ?2)
      ORDER BY entry, position LIMIT ?3
      """, after: after, { ($0.entry, $0.position) < ($1.entry, $1.position) },
      {
        $0.bind(1, after?.entry ?? -1)
        $0.bind(2, after?.position ?? -1)
        $0.bind(3, Int64(limit))
      }, Self.allocation)
  }

  func accounts(after: AccountNumber, limit: Int) throws(LedgerError) -> [AccountRow] {
    try page(
      """
      SELECT balance, debt, held, version, last_entry, pool_lot, pool_source, pool_environment, pool_granted,
        pool_remaining, open_lots, next_expiry, account, next_scheduled_at FROM accounts WHERE account > ?1
      ORDER BY account LIMIT ?2
      """, after: after.rawValue, limit, column: 12, Self.account)
  }

  func lots(after: LotNumber, limit: Int) throws(LedgerError) -> [LotRow] {
    try page(
      """
      SELECT lot, account, source, environment, granted, remaining, price, price_currency, purchase, expires_at
      FROM lots WHERE lot > ?1 ORDER BY lot LIMIT ?2
      """, after: after, limit, Self.lot)
  }

  func purchases(after: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
    try page(
      """
      SELECT p.purchase, store, environment, store_transaction, customer, p.transaction_number, product, quantity,
        price, price_currency, purchased_at, t.document, original_transaction, expires_at, r.share, r.share_of,
        coalesce(r.evidence_at, r.signed_at), r.transaction_number, grant_currency, grant_lot, grant_amount
      FROM purchases p LEFT JOIN purchase_terms t USING (terms) LEFT JOIN refunds r
        ON r.transaction_number = (SELECT max(transaction_number) FROM refunds WHERE purchase = p.purchase)
      WHERE p.purchase > ?1 ORDER BY p.purchase LIMIT ?2
      """, after: after, limit, Self.purchase)
  }

  func anchors(after: AnchorRow?, limit: Int) throws(LedgerError) -> [AnchorRow] {
    try scanned(
      """
      SELECT account, version, entry, transaction_number, created_at FROM checkpoints
      WHERE (account, version) > (?1, ?2) ORDER BY account, version LIMIT ?3
      """, after: after, { ($0.account, $0.version) < ($1.account, $1.version) },
      {
        $0.bind(1, after?.account.rawValue ?? -1)
        $0.bind(2, after?.version ?? -1)
        $0.bind(3, Int64(limit))
      }, Self.anchor)
  }

  func keys(after: KeyScanPosition?, limit: Int) throws(LedgerError) -> [(KeyRow, KeyScanPosition)] {
    try keys(
      """
      SELECT key, customer, request_digest, qualifier_digest, transaction_number, refusal FROM keys
      WHERE (key, customer) > (?1, ?2) ORDER BY key, customer LIMIT ?3
      """, after: after, limit)
  }

  func keys(
    _ wanted: ExportedKeys, after: KeyScanPosition?, limit: Int
  ) throws(LedgerError) -> [(KeyRow, KeyScanPosition)] {
    switch wanted {
    case .booked(let transaction):
      try keys(
        """
        SELECT key, customer, request_digest, qualifier_digest, transaction_number, refusal FROM keys
        WHERE (key, customer) > (?1, ?2) AND transaction_number > ?4 ORDER BY key, customer LIMIT ?3
        """, after: after, limit
      ) { $0.bind(4, transaction) }
    case .refused:
      try keys(
        """
        SELECT key, customer, request_digest, qualifier_digest, transaction_number, refusal FROM keys
        WHERE (key, customer) > (?1, ?2) AND transaction_number IS NULL ORDER BY key, customer LIMIT ?3
        """, after: after, limit)
    }
  }

  private func keys(
    _ sql: StaticString, after: KeyScanPosition?, _ limit: Int, _ bind: (SQLiteStatement) -> Void = { _ in }
  ) throws(LedgerError) -> [(KeyRow, KeyScanPosition)] {
    try scanned(
      sql, after: after.flatMap { position in position.row.map { ($0, position) } },
      { Self.precedes($0.0, $1.0) },
      { statement in
        // Text sorts before blobs, and nothing sorts before the empty text.
        if let last = after?.row { statement.bind(1, key: last.key) } else { statement.bind(1, "") }
        statement.bind(2, after?.row?.customer ?? -1)
        statement.bind(3, Int64(limit))
        bind(statement)
      },
      { (statement) throws(SQLiteFailure) in
        let fingerprint = Fingerprint(asked: statement.integer(2), qualifiers: statement.integer(3))
        // A key with neither is a problem to be reported, not an error: no transaction has number 0.
        let outcome =
          try statement.optionalTransaction(4).map(KeyRow.Outcome.booked)
          ?? statement.optionalText(5).flatMap(LedgerError.init(stored:)).map(KeyRow.Outcome.refused) ?? .booked(0)
        let row = KeyRow(
          customer: try statement.number(1), key: statement.key(0), fingerprint: fingerprint, outcome: outcome)
        return (row, KeyScanPosition(place: 0, row: row))
      })
  }

  func itemEntries(after: ItemEntryRow?, limit: Int) throws(LedgerError) -> [ItemEntryRow] {
    try scanned(
      """
      SELECT transaction_number, item, customer, quantity, owned FROM item_entries
      WHERE (transaction_number, item, customer) > (?1, ?2, ?3) ORDER BY transaction_number, item, customer LIMIT ?4
      """, after: after,
      {
        if $0.transaction != $1.transaction { return $0.transaction < $1.transaction }
        return Self.precedes(($0.item.text, $0.customer), ($1.item.text, $1.customer))
      },
      {
        $0.bind(1, after?.transaction ?? -1)
        $0.bind(2, after?.item.text ?? "")
        $0.bind(3, after?.customer ?? -1)
        $0.bind(4, Int64(limit))
      }, Self.itemEntry)
  }

  func ownedItems(after: OwnedItemRow?, limit: Int) throws(LedgerError) -> [OwnedItemRow] {
    try scanned(
      """
      SELECT customer, item, quantity FROM owned_items WHERE (customer, item) > (?1, ?2)
      ORDER BY customer, item LIMIT ?3
      """, after: after,
      { $0.customer != $1.customer ? $0.customer < $1.customer : Self.precedes(($0.item.text, 0), ($1.item.text, 0)) },
      {
        $0.bind(1, after?.customer ?? -1)
        $0.bind(2, after?.item.text ?? "")
        $0.bind(3, Int64(limit))
      }, Self.ownedItem)
  }

  /// A page of rows by their numbers, which ascend: pages of a damaged file could lead back, and be read without end.
  ///
  /// - Parameter column: Where the number stands.
  func page<Row>(
    _ sql: StaticString, after: Int64, _ limit: Int, column: Int32 = 0,
    _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row
  ) throws(LedgerError) -> [Row] {
    var last = after
    return try all(
      sql,
      {
        $0.bind(1, after)
        $0.bind(2, Int64(limit))
      },
      { (statement) throws(SQLiteFailure) in
        let number = statement.integer(column)
        guard number > last else { throw .notAscending }
        last = number
        return try read(statement)
      })
  }

  /// A page of rows that several columns name, in their order.
  func scanned<Row>(
    _ sql: StaticString, after: Row?, _ precedes: (Row, Row) -> Bool, _ bind: (SQLiteStatement) -> Void,
    _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row
  ) throws(LedgerError) -> [Row] {
    try ordered(sql, after: after, { $0 }, precedes, bind, read)
  }

  /// A page of rows whose places follow each other and the place before the page.
  ///
  /// - Parameter precedes: Must be false for a place and itself: a page that ends where it began is read without end.
  func ordered<Row, Place>(
    _ sql: StaticString, after: Place?, _ place: (Row) -> Place, _ precedes: (Place, Place) -> Bool,
    _ bind: (SQLiteStatement) -> Void, _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row
  ) throws(LedgerError) -> [Row] {
    var last = after
    return try all(sql, bind) { (statement) throws(SQLiteFailure) in
      let row = try read(statement)
      let next = place(row)
      if let last, !precedes(last, next) { throw .notAscending }
      last = next
      return row
    }
  }

  /// As SQLite compares texts: by their bytes.
  static func precedes(_ one: (text: String, number: Int64), _ other: (text: String, number: Int64)) -> Bool {
    if one.text.utf8.elementsEqual(other.text.utf8) { return one.number < other.number }
    return one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }

  /// Keys that are kept as sixteen bytes come behind those that are kept as text.
  private static func precedes(_ one: KeyRow, _ other: KeyRow) -> Bool {
    let (isUUID, isOtherUUID) = (HexForm.parseUUID(one.key.text) != nil, HexForm.parseUUID(other.key.text) != nil)
    if isUUID != isOtherUUID { return isOtherUUID }
    return precedes((one.key.text, one.customer), (other.key.text, other.customer))
  }
}
