internal import CSQLite
internal import GemLedger

extension SQLiteTables: StorageSnapshot {
  func project() throws(LedgerError) -> ProjectRow {
    let row = try first("SELECT salt, created_at FROM project") { (row) throws(SQLiteFailure) in
      ProjectRow(salt: UInt64(bitPattern: row.integer(0)), createdAt: try row.instant(1))
    }
    guard let row else {
      throw LedgerError(.storageDamaged, "\(connection.path) has no project row. Restore it from a backup.")
    }
    return row
  }

  // MARK: Catalog

  func catalogVersion() throws(LedgerError) -> Int64 {
    try translating { () throws(SQLiteFailure) in
      let statement = try hot(.catalogVersion)
      defer { statement.reset() }
      return try statement.step() ? try statement.number(0) : 0
    }
  }

  func catalogRows(_ kind: CatalogRow.Kind) throws(LedgerError) -> [CatalogRow] {
    try all(
      "SELECT code, position, document FROM catalog WHERE kind = ?1 ORDER BY position",
      { $0.bind(1, kind.rawValue) },
      { (row) throws(SQLiteFailure) in try Self.catalogRow(kind, row) })
  }

  func catalogRow(_ kind: CatalogRow.Kind, code: String) throws(LedgerError) -> CatalogRow? {
    try first(
      "SELECT code, position, document FROM catalog WHERE kind = ?1 AND code = ?2",
      {
        $0.bind(1, kind.rawValue)
        $0.bind(2, code)
      }, { (row) throws(SQLiteFailure) in try Self.catalogRow(kind, row) })
  }

  private static func catalogRow(
    _ kind: CatalogRow.Kind, _ row: SQLiteStatement
  ) throws(SQLiteFailure) -> CatalogRow {
    let code = row.text(0)
    guard kind != .currency || CatalogRow.currencyNumbers.contains(row.integer(1)) else {
      throw SQLiteFailure(
        extendedCode: SQLITE_CORRUPT,
        message: "the catalog's currency \"\(code)\" has number \(row.integer(1)), which no currency can have")
    }
    return CatalogRow(kind: kind, code: code, position: try row.number(1), document: row.text(2))
  }

  func environments() throws(LedgerError) -> [EnvironmentRow] {
    try all("SELECT environment, kind, session FROM environments ORDER BY environment") {
      (row) throws(SQLiteFailure) in
      EnvironmentRow(
        number: try row.number(0),
        environment: StoreEnvironment(
          kind: StoreEnvironment.Kind(rawValue: row.integer(1)) ?? .localTesting, session: row.optionalText(2)))
    }
  }

  // MARK: Customers and accounts

  func customer(_ id: CustomerID) throws(LedgerError) -> FoundCustomer? {
    // An id of that form that a caller chose, before such ids were refused, is listed as every other.
    if id.isOfErased, let row = try erased(id) {
      guard row.mergedInto != 0 else { return FoundCustomer(row, origin: row.number) }
      return try customer(number: row.mergedInto).map { FoundCustomer($0, origin: row.number) }
    }
    let (found, mergedInto) = try translating { () throws(SQLiteFailure) -> (FoundCustomer?, CustomerNumber) in
      let statement = try hot(.customer)
      statement.bind(1, id.text)
      guard try statement.step() else { return (nil, 0) }
      defer { statement.reset() }
      var found = FoundCustomer(number: try statement.number(0), isFrozen: statement.integer(1) != 0)
      found.isOneOfSeveral = statement.integer(3) > 0
      return (found, try statement.number(2))
    }
    guard let found, mergedInto != 0 else { return found }
    guard let survivor = try customer(number: mergedInto) else {
      throw LedgerError(
        .storageDamaged, "\(connection.path) has no customer \(mergedInto), whom another became part of. Run verify.")
    }
    return FoundCustomer(survivor, origin: found.number)
  }

  func customer(number: CustomerNumber) throws(LedgerError) -> CustomerRow? {
    try first(
      """
      SELECT customer, id, created_at, frozen, frozen_reason, merged_into, merged_count FROM customers WHERE customer = ?1
      """, { $0.bind(1, number) }, Self.customer)
  }

  func customers(after number: CustomerNumber, limit: Int) throws(LedgerError) -> [CustomerRow] {
    try page(
      """
      SELECT customer, id, created_at, frozen, frozen_reason, merged_into, merged_count FROM customers WHERE customer > ?1
      ORDER BY customer LIMIT ?2
      """, after: number, limit, Self.customer)
  }

  func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow? {
    try translating { () throws(SQLiteFailure) in
      let statement = try hot(.account)
      statement.bind(1, number.rawValue)
      guard try statement.step() else { return nil }
      defer { statement.reset() }
      return try Self.account(statement)
    }
  }

  func accounts(of customer: CustomerNumber) throws(LedgerError) -> [AccountRow] {
    try all(
      """
      SELECT balance, debt, held, version, last_entry, pool_lot, pool_source, pool_environment, pool_granted,
        pool_remaining, open_lots, next_expiry, account, next_scheduled_at FROM accounts WHERE account >= ?1 AND account < ?2
      ORDER BY account
      """,
      {
        $0.bind(1, AccountNumber(customer: customer, currency: 0).rawValue)
        $0.bind(2, AccountNumber(customer: customer + 1, currency: 0).rawValue)
      }, Self.account)
  }

  // MARK: Lots

  func openLots(
    _ account: AccountNumber, paid: Bool, after: LotPosition?, limit: Int
  ) throws(LedgerError) -> [LotRow] {
    try ordered(
      """
      SELECT lot, account, source, environment, granted, remaining, price, price_currency, purchase, expires_at
      FROM lots WHERE account = ?1 AND paid = ?2 AND remaining > 0 AND (expires_at, lot) > (?3, ?4)
      ORDER BY expires_at, lot LIMIT ?5
      """, after: after, { LotPosition(expiresAt: $0.expiresAt, lot: $0.number) }, <,
      {
        $0.bind(1, account.rawValue)
        $0.bind(2, paid ? 1 : 0)
        $0.bind(3, Never.stored(after?.expiresAt ?? .min))
        $0.bind(4, after?.lot ?? 0)
        $0.bind(5, Int64(limit))
      }, Self.lot)
  }

  func lot(_ number: LotNumber) throws(LedgerError) -> LotRow? {
    try first(
      """
      SELECT lot, account, source, environment, granted, remaining, price, price_currency, purchase, expires_at
      FROM lots WHERE lot = ?1
      """, { $0.bind(1, number) }, Self.lot)
  }

  func pooledLot(
    _ account: AccountNumber, source: LotSource, environment: Int64
  ) throws(LedgerError) -> LotRow? {
    try first(
      """
      SELECT lot, account, source, environment, granted, remaining, price, price_currency, purchase, expires_at
      FROM lots WHERE account = ?1 AND source = ?2 AND environment = ?3
        AND purchase IS NULL AND expires_at = 253402300799999 AND price IS NULL
      """,
      {
        $0.bind(1, account.rawValue)
        $0.bind(2, source.rawValue)
        $0.bind(3, environment)
      }, Self.lot)
  }

  // MARK: Keys, purchases, items

  func key(_ key: IdempotencyKey, customer: CustomerNumber, hash: Int) throws(LedgerError) -> KeyRow? {
    let path = connection.path
    let found = try translating { () throws(SQLiteFailure) -> (Fingerprint, Int64?, String?)? in
      let statement = try hot(.key)
      statement.bind(1, key: key)
      statement.bind(2, customer)
      guard try statement.step() else { return nil }
      defer { statement.reset() }
      return (
        Fingerprint(asked: statement.integer(0), qualifiers: statement.integer(1)),
        try statement.optionalTransaction(2), statement.optionalText(3)
      )
    }
    guard let (fingerprint, transaction, refusal) = found else { return nil }
    return KeyRow(
      customer: customer, key: key, fingerprint: fingerprint,
      outcome: try Self.outcome(transaction: transaction, refusal: refusal, path: path))
  }

  func purchase(_ identity: PurchaseIdentity) throws(LedgerError) -> PurchaseRow? {
    let found = try first(
      """
      SELECT p.purchase, store, environment, store_transaction, customer, p.transaction_number, product, quantity,
        price, price_currency, purchased_at, terms, original_transaction, expires_at, r.share, r.share_of,
        coalesce(r.evidence_at, r.signed_at), r.transaction_number, grant_currency, grant_lot, grant_amount
      FROM purchases p LEFT JOIN refunds r
        ON r.transaction_number = (SELECT max(transaction_number) FROM refunds WHERE purchase = p.purchase)
      WHERE store_transaction = ?1 AND environment = ?2 AND store = ?3
      """,
      {
        $0.bind(1, identity.transactionID.text)
        $0.bind(2, identity.environment)
        $0.bind(3, identity.store.number)
      }, { (row) throws(SQLiteFailure) in (row.integer(11), try Self.purchase(row)) })
    guard let (terms, row) = found else { return nil }
    var purchase = row
    // In the document's place the row has the number of its terms.
    purchase.terms = try document(ofTerms: terms)
    return purchase
  }

  /// Purchases share few terms, which never change.
  private func document(ofTerms number: Int64) throws(LedgerError) -> String {
    if let known = knownTerms[number] { return known }
    let document = try first(
      "SELECT document FROM purchase_terms WHERE terms = ?1", { $0.bind(1, number) }, { $0.text(0) })
    guard let document else {
      throw LedgerError(.storageDamaged, "\(connection.path) has a purchase without terms. Run verify.")
    }
    if knownTerms.count >= 256 { knownTerms = [:] }
    knownTerms[number] = document
    return document
  }

  func owned(_ item: ItemID, customer: CustomerNumber) throws(LedgerError) -> Int64 {
    try first(
      "SELECT quantity FROM owned_items WHERE customer = ?1 AND item = ?2",
      {
        $0.bind(1, customer)
        $0.bind(2, item.text)
      }, { (row) throws(SQLiteFailure) in try row.amount(0) }) ?? 0
  }

  // MARK: Journal

  func sequences() throws(LedgerError) -> Sequences {
    var sequences = try ownSequences()
    // Of what several lanes booked elsewhere, the last by number need not be the latest.
    if let copied = try copiedJournal() { sequences.createdAt = max(sequences.createdAt, copied.createdAt) }
    return sequences
  }

  private func ownSequences() throws(LedgerError) -> Sequences {
    try translating { () throws(SQLiteFailure) in
      let (lastTransaction, lastEntry) = (try hot(.lastTransaction), try hot(.lastEntry))
      defer {
        lastTransaction.reset()
        lastEntry.reset()
      }
      var sequences = Sequences()
      if try lastTransaction.step() {
        sequences.transaction = try lastTransaction.transaction(0)
        sequences.createdAt = try lastTransaction.instant(1)
      }
      if try lastEntry.step() { sequences.entry = try lastEntry.entry(0) }
      return sequences
    }
  }

  func last(_ sequence: RareSequence) throws(LedgerError) -> Int64 {
    switch sequence {
    case .customer: try number("SELECT max(customer) FROM customers")
    // The first pooled lot of an account has no row of its own, hence the table.
    case .lot: try number("SELECT last FROM lot_sequence")
    case .purchase: try number("SELECT max(purchase) FROM purchases")
    case .environment: try number("SELECT max(environment) FROM environments")
    case .order: try number("SELECT max(number) FROM orders")
    }
  }

  private func number(_ sql: StaticString) throws(LedgerError) -> Int64 {
    try first(sql) { (row) throws(SQLiteFailure) in try row.number(0) } ?? 0
  }

  func transaction(_ number: TransactionNumber) throws(LedgerError) -> TransactionRow? {
    try first(
      "SELECT number, kind, customer, created_at, first_entry, digest, erasable_digest FROM transactions WHERE number = ?1",
      { $0.bind(1, number) }, Self.transaction)
  }

  func entry(_ number: EntryNumber) throws(LedgerError) -> EntryRow? {
    try first("SELECT * FROM entries WHERE number = ?1", { $0.bind(1, number) }, Self.entry)
  }

  func entries(of transaction: TransactionNumber) throws(LedgerError) -> [EntryRow] {
    guard let row = try self.transaction(transaction) else { return [] }
    return try entries(of: row)
  }

  func entries(of transaction: TransactionRow) throws(LedgerError) -> [EntryRow] {
    // Those of a transaction lie together: one walk up to the first of another is cheaper than a look at each.
    let statement = try statement("SELECT * FROM entries WHERE number >= ?1 ORDER BY number")
    return try translating { () throws(SQLiteFailure) in
      statement.bind(1, transaction.firstEntry)
      defer { statement.reset() }
      var found: [EntryRow] = []
      while try statement.step() {
        let entry = try Self.entry(statement)
        guard entry.transaction == transaction.number else { break }
        // Pages that lead back to themselves would be read without end.
        guard entry.number > found.last?.number ?? -1 else { throw .notAscending }
        found.append(entry)
      }
      return found
    }
  }

  func allocations(of entry: EntryNumber) throws(LedgerError) -> [AllocationRow] {
    try all(
      "SELECT entry, position, lot, amount FROM allocations WHERE entry = ?1 ORDER BY position", { $0.bind(1, entry) },
      Self.allocation)
  }

  func note(_ transaction: TransactionNumber) throws(LedgerError) -> NoteRow? {
    try first(
      "SELECT transaction_number, reference, reason, actor FROM notes WHERE transaction_number = ?1",
      { $0.bind(1, transaction) }, Self.note)
  }

  static func note(_ row: SQLiteStatement) throws(SQLiteFailure) -> NoteRow {
    NoteRow(
      transaction: try row.transaction(0), reference: row.optionalText(1).map(Reference.init(unchecked:)),
      reason: row.optionalText(2).map(Reason.init(unchecked:)),
      actor: row.optionalText(3).map(ActorName.init(unchecked:)))
  }

  func items(of transaction: TransactionNumber) throws(LedgerError) -> [ItemEntryRow] {
    try all(
      "SELECT transaction_number, item, customer, quantity, owned FROM item_entries WHERE transaction_number = ?1",
      { $0.bind(1, transaction) }, Self.itemEntry)
  }

  func anchor(_ account: AccountNumber, version: Int64) throws(LedgerError) -> AnchorRow? {
    try first(
      "SELECT account, version, entry, transaction_number, created_at FROM checkpoints WHERE account = ?1 AND version = ?2",
      {
        $0.bind(1, account.rawValue)
        $0.bind(2, version)
      }, Self.anchor)
  }

  func scan() throws(LedgerError) -> any StorageScan { self }
}
