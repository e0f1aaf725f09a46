internal import GemLedger

extension SQLiteTables: StorageSession {
  func write(_ changes: borrowing ChangeSet) throws(LedgerError) {
    // Who is new may come under the id of somebody who is erased.
    if let rare = changes.rare { try freeIDs(of: rare.erasures) }
    try write(journal: changes)
    try write(projections: changes)
    if !changes.orders.isEmpty { try write(changes.orders) }
    if let rare = changes.rare {
      let listed = Dictionary(changes.transactionsWithoutEntries.map { ($0.number, $0.customer) }) { first, _ in first }
      try write(rare, listed: listed)
      try list(rare.effects, but: listed, areNew: !changes.transactions.isEmpty)
      let new = changes.customers.map { AddedIDRow(customer: $0.number, id: $0.id) }
      try erase(rare.erasures, new: new + rare.addedIDs)
      if !rare.idChanges.isEmpty { try write(rare.idChanges) }
    }
    if changes.rare != nil || !changes.transactionsWithoutEntries.isEmpty { try moveNewlyListed() }
    if let rows = changes.catalog { try replaceCatalog(rows, at: changes.copy == nil ? changes.catalogAppliedAt : nil) }
    if let copy = changes.copy { try write(copy) }
    try add(changes.sums())
  }

  // MARK: Journal

  private func write(journal changes: borrowing ChangeSet) throws(LedgerError) {
    try run(.addTransaction, changes.transactions, Self.bind)
    try run(.addEntry, changes.entries, Self.bind)
    try run(.addKey, changes.keys, Self.bind)
    try run(.addNote, changes.notes, Self.bind)
    try list(changes.transactionsWithoutEntries)
    try run("INSERT INTO allocations VALUES (?1, ?2, ?3, ?4)", changes.allocations) {
      $0.bind(1, $1.entry)
      $0.bind(2, $1.position)
      $0.bind(3, $1.lot)
      $0.bind(4, $1.amount)
    }
    try run("INSERT INTO item_entries VALUES (?1, ?2, ?3, ?4, ?5)", changes.itemEntries) {
      $0.bind(1, $1.transaction)
      $0.bind(2, $1.item.text)
      $0.bind(3, $1.customer)
      $0.bind(4, $1.quantity)
      $0.bind(5, $1.owned)
    }
    for row in changes.purchases { try add(row) }
  }

  private static func bind(_ statement: SQLiteStatement, _ row: TransactionRow) {
    statement.bind(1, row.number)
    statement.bind(2, row.kind.rawValue)
    statement.bind(3, row.customer)
    statement.bind(4, row.createdAt.milliseconds)
    statement.bind(5, row.firstEntry)
    statement.bind(6, row.digest)
    if row.erasable == 0 { statement.bindNull(7) } else { statement.bind(7, row.erasable) }
  }

  private static func bind(_ statement: SQLiteStatement, _ row: EntryRow) {
    statement.bind(1, row.number)
    statement.bind(2, row.transaction)
    statement.bind(3, row.account.rawValue)
    statement.bind(4, row.kind.rawValue)
    statement.bind(5, row.amount)
    statement.bind(6, row.balance)
    statement.bind(7, row.debt)
    statement.bind(8, row.version)
    statement.bind(9, row.previous)
    statement.bind(10, row.lot)
  }

  private static func bind(_ statement: SQLiteStatement, _ row: KeyRow) {
    statement.bind(1, key: row.key)
    statement.bind(2, row.customer)
    statement.bind(3, row.fingerprint.asked)
    statement.bind(4, row.fingerprint.qualifiers)
    switch row.outcome {
    case .booked(let transaction):
      statement.bind(5, transaction)
      statement.bindNull(6)
    case .refused(let refusal):
      statement.bindNull(5)
      statement.bind(6, refusal.stored)
    }
  }

  private static func bind(_ statement: SQLiteStatement, _ row: NoteRow) {
    statement.bind(1, row.transaction)
    statement.bind(2, row.reference?.text)
    statement.bind(3, row.reason?.text)
    statement.bind(4, row.actor?.text)
  }

  private func add(_ row: PurchaseRow) throws(LedgerError) {
    try run("INSERT INTO purchase_terms (document) VALUES (?1) ON CONFLICT DO NOTHING", [row]) { $0.bind(1, $1.terms) }
    try run(
      """
      INSERT INTO purchases SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, terms, ?13, ?14, ?15, ?16, ?17
      FROM purchase_terms WHERE document = ?12
      """, [row]
    ) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.identity.store.number)
      $0.bind(3, $1.identity.environment)
      $0.bind(4, $1.identity.transactionID.text)
      $0.bind(5, $1.customer)
      $0.bind(6, $1.transaction)
      $0.bind(7, $1.product.text)
      $0.bind(8, $1.quantity)
      $0.bind(9, $1.price?.minorUnits)
      $0.bind(10, $1.price?.currency)
      $0.bind(11, $1.purchasedAt.milliseconds)
      $0.bind(12, $1.terms)
      $0.bind(13, $1.originalTransactionID?.text)
      $0.bind(14, $1.expiresAt?.milliseconds)
      $0.bind(15, $1.grant?.currency)
      $0.bind(16, $1.grant?.lot)
      $0.bind(17, $1.grant?.amount)
    }
  }

  // MARK: Projections

  private func write(projections changes: borrowing ChangeSet) throws(LedgerError) {
    try run("INSERT INTO environments VALUES (?1, ?2, ?3)", changes.environments) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.environment.kind.rawValue)
      $0.bind(3, $1.environment.session)
    }
    try run("INSERT INTO customers (customer, id, created_at) VALUES (?1, ?2, ?3)", changes.customers) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.id.text)
      $0.bind(3, $1.createdAt.milliseconds)
    }
    try run("INSERT INTO aliases VALUES (?1, ?2)", changes.customers) {
      $0.bind(1, $1.id.text)
      $0.bind(2, $1.number)
    }
    try run(.addAccount, changes.newAccounts, Self.bind)
    try run(.setAccount, changes.changedAccounts, Self.bind)
    try write(lots: changes)
    try run(
      "INSERT INTO checkpoints VALUES (?1, ?2, ?3, ?4, ?5)", changes.anchors
    ) {
      $0.bind(1, $1.account.rawValue)
      $0.bind(2, $1.version)
      $0.bind(3, $1.entry)
      $0.bind(4, $1.transaction)
      $0.bind(5, $1.createdAt.milliseconds)
    }
    try run("INSERT OR REPLACE INTO owned_items VALUES (?1, ?2, ?3)", changes.itemEntries) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.item.text)
      $0.bind(3, $1.owned)
    }
  }

  private static func bind(_ statement: SQLiteStatement, _ row: AccountRow) {
    statement.bind(1, row.balance)
    statement.bind(2, row.debt)
    statement.bind(3, row.held)
    statement.bind(4, row.version)
    statement.bind(5, row.lastEntry)
    statement.bind(6, row.poolLot)
    statement.bind(7, row.poolSource)
    statement.bind(8, row.poolEnvironment)
    statement.bind(9, row.poolGranted)
    statement.bind(10, row.poolRemaining)
    statement.bind(11, row.openLots)
    if row.nextExpiry == .max { statement.bindNull(12) } else { statement.bind(12, row.nextExpiry) }
    statement.bind(13, row.number.rawValue)
    if row.nextDue == .max { statement.bindNull(14) } else { statement.bind(14, row.nextDue) }
  }

  private func write(lots changes: borrowing ChangeSet) throws(LedgerError) {
    if let last = changes.lastLot {
      // A copy comes by lots in another order than that of their making.
      try run("UPDATE lot_sequence SET last = max(last, ?1)", [last]) { $0.bind(1, $1) }
    }
    try run(
      "INSERT INTO lots VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)", changes.newLots
    ) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.account.rawValue)
      $0.bind(3, $1.source.rawValue)
      $0.bind(4, $1.environment)
      $0.bind(5, $1.granted)
      $0.bind(6, $1.remaining)
      $0.bind(7, $1.price?.minorUnits)
      $0.bind(8, $1.price?.currency)
      $0.bind(9, $1.purchase)
      $0.bind(10, Never.stored($1.expiresAt))
    }
    try run("UPDATE lots SET granted = ?2, remaining = ?3 WHERE lot = ?1", changes.changedLots) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.granted)
      $0.bind(3, $1.remaining)
    }
  }

  /// - Parameter instant: When the new version comes into force; nil where the versions are written apart.
  private func replaceCatalog(_ rows: [CatalogRow], at instant: Timestamp?) throws(LedgerError) {
    let version = try catalogVersion() + 1
    try run("DELETE FROM catalog", [0]) { _, _ in }
    try run("INSERT INTO catalog VALUES (?1, ?2, ?3, ?4)", rows) {
      $0.bind(1, $1.kind.rawValue)
      $0.bind(2, $1.code)
      $0.bind(3, $1.position)
      $0.bind(4, $1.document)
    }
    guard let instant else { return }
    try run("INSERT INTO catalog_versions VALUES (?1, ?2)", [version]) {
      $0.bind(1, $1)
      $0.bind(2, instant.milliseconds)
    }
  }

  /// Runs the statement once a row.
  @inline(__always)
  private func run<Row>(
    _ kind: HotStatements.Kind, _ rows: [Row], _ bind: (SQLiteStatement, Row) -> Void
  ) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    try translating { () throws(SQLiteFailure) in
      let statement = try hot(kind)
      for row in rows {
        bind(statement, row)
        try statement.run()
      }
    }
  }

  /// Runs the statement once a row.
  func run<Row>(
    _ sql: StaticString, _ rows: [Row], _ bind: (SQLiteStatement, Row) -> Void
  ) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    let statement = try statement(sql)
    try translating { () throws(SQLiteFailure) in
      for row in rows {
        bind(statement, row)
        try statement.run()
      }
    }
  }
}
