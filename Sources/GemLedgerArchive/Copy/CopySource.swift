internal import GemLedger
internal import GemLedgerAudit

/// Reads a whole ledger, a page at a time, as change sets that recreate it in another storage.
struct CopySource {
  typealias Page = (inout ChangeSet) throws(LedgerError) -> Void

  let snapshot: any StorageSnapshot
  let scan: any StorageScan
  /// Whether the copy numbers entries by their transactions.
  let renumbersEntries: Bool
  /// Whether the copy keeps a lot's attributes with each past and present owner.
  let listsFormerLots: Bool

  init(
    _ snapshot: any StorageSnapshot, renumbersEntries: Bool = false, listsFormerLots: Bool = false
  ) throws(LedgerError) {
    self.snapshot = snapshot
    scan = try snapshot.scan()
    self.renumbersEntries = renumbersEntries
    self.listsFormerLots = listsFormerLots
  }

  /// Calls the closure with all pages of the step; equal rows give equal pages.
  func read(_ step: CopyStep, _ page: Page) throws(LedgerError) {
    switch step {
    case .foundations: try readFoundations(page)
    case .customers: try readCustomers(page)
    case .journal: try readJournal(page)
    case .keys: try readKeys(page)
    case .purchases: try readPurchases(page)
    case .accounts: try readAccounts(page)
    case .lots: try readLots(page)
    case .formerLots: try readFormerLots(page)
    case .items: try readItems(page)
    case .checkpoints: try readCheckpoints(page)
    case .merges: try readMerges(page)
    case .refunds: try readRefunds(page)
    case .evidence: try readEvidence(page)
    case .orders: try readOrders(page)
    case .accountTokens: try readAccountTokens(page)
    case .events: try readEvents(page)
    case .holds: try readHolds(page)
    case .counts: try readCounts(page)
    case .documents: try readDocuments(page)
    }
  }

  /// Reads a table from start to end, page by page.
  func pages<Row, Position>(
    from start: Position, of size: Int = CopyStep.pageSize, _ rows: (Position, Int) throws(LedgerError) -> [Row],
    position: (Row) -> Position, _ body: ([Row]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var last = start
    while true {
      let page = try rows(last, size)
      guard let end = page.last else { return }
      last = position(end)
      try body(page)
    }
  }

  // MARK: Catalog, customers and documents

  private func readFoundations(_ page: Page) throws(LedgerError) {
    var changes = ChangeSet()
    var copy = CopyChanges(progress: nil)
    copy.catalogVersions = try scan.catalogVersions()
    changes.copy = copy
    var rows: [CatalogRow] = []
    for kind in CatalogRow.Kind.allCases { rows += try snapshot.catalogRows(kind) }
    changes.catalog = rows
    changes.environments = try snapshot.environments()
    try page(&changes)
  }

  private func readCustomers(_ page: Page) throws(LedgerError) {
    try pages(from: 0, snapshot.customers(after:limit:), position: \.number) { (rows) throws(LedgerError) in
      var changes = ChangeSet()
      changes.customers = rows
      let added = try snapshot.addedIDs(of: rows.map(\.number))
      changes.ownCold.changedCustomers = rows.filter { !$0.isPlain }
      changes.ownCold.addedIDs = rows.flatMap { row in
        (added[row.number] ?? []).map { AddedIDRow(customer: row.number, id: $0) }
      }
      try page(&changes)
    }
  }

  private func readMerges(_ page: Page) throws(LedgerError) {
    try pages(from: 0, scan.merges(after:limit:), position: \.transaction) { (rows) throws(LedgerError) in
      var changes = ChangeSet()
      changes.ownCold.merges = rows
      try page(&changes)
    }
  }

  private func readAccountTokens(_ page: Page) throws(LedgerError) {
    try pages(from: nil, scan.accountTokens(after:limit:), position: \.self) { (rows) throws(LedgerError) in
      var changes = ChangeSet()
      changes.orders.accountTokens = rows
      try page(&changes)
    }
  }

  private func readDocuments(_ page: Page) throws(LedgerError) {
    let size = Limits.documentsPerPage
    try pages(from: nil, of: size, scan.documents(after:limit:), position: \.name) { (rows) throws(LedgerError) in
      var changes = ChangeSet()
      changes.ownCold.documents = rows
      try page(&changes)
    }
  }

  // MARK: Balances

  private func readAccounts(_ page: Page) throws(LedgerError) {
    let first = AccountNumber(rawValue: 0)
    try pages(from: first, scan.accounts(after:limit:), position: \.number) { (rows) throws(LedgerError) in
      var changes = ChangeSet()
      let pooled = rows.filter { $0.poolLot != 0 }.map { RowAddress($0.poolLot, of: $0.number.customer) }
      let attributes = try snapshot.lotAttributes(pooled)
      changes.ownCold.lotAttributes = pooled.compactMap { attributes[$0.number] }
      changes.lastLot = pooled.map(\.number).max()
      for var row in rows {
        row.lastEntry = try numbered(row.lastEntry)
        changes.newAccounts.append(row)
      }
      try page(&changes)
    }
  }

  private func readLots(_ page: Page) throws(LedgerError) {
    try pages(from: 0, scan.lots(after:limit:), position: \.number) { (rows) throws(LedgerError) in
      var changes = ChangeSet()
      changes.newLots = rows
      let attributes = try snapshot.lotAttributes(rows.map { RowAddress($0.number, of: $0.account.customer) })
      changes.ownCold.lotAttributes = rows.compactMap { attributes[$0.number] }
      changes.lastLot = rows.last?.number
      try page(&changes)
    }
  }

  private func readCheckpoints(_ page: Page) throws(LedgerError) {
    try pages(from: nil, scan.checkpoints(after:limit:), position: \.self) { (rows) throws(LedgerError) in
      var changes = ChangeSet()
      for var row in rows {
        row.entry = try numbered(row.entry)
        changes.checkpoints.append(row)
      }
      try page(&changes)
    }
  }

  /// Only merged and surviving customers ever shared lots; the journal has the owners of each lot.
  private func readFormerLots(_ page: Page) throws(LedgerError) {
    guard listsFormerLots else { return }
    var merged: Set<CustomerNumber> = []
    try pages(from: 0, scan.merges(after:limit:), position: \.transaction) { (rows) throws(LedgerError) in
      for row in rows { merged.formUnion([row.from, row.into]) }
    }
    guard !merged.isEmpty else { return }
    var addresses: Set<RowAddress> = []
    var journal = JournalScan(scan)
    while let entry = try journal.nextEntry() {
      let customer = entry.account.customer
      let allocations = try journal.allocations(of: entry)
      guard merged.contains(customer) else { continue }
      for lot in allocations.map(\.lot) + [entry.lot] where lot != 0 { addresses.insert(RowAddress(lot, of: customer)) }
    }
    let sorted = addresses.sorted { ($0.number, $0.customer ?? 0) < ($1.number, $1.customer ?? 0) }
    for addresses in ScanPage.pages(sorted) {
      let attributes = try snapshot.lotAttributes(addresses)
      var changes = ChangeSet()
      var copy = CopyChanges(progress: nil)
      copy.formerLotAttributes = addresses.compactMap { position in
        guard let attributes = attributes[position.number], let customer = position.customer else { return nil }
        return CopyChanges.FormerLotAttributes(attributes: attributes, customer: customer)
      }
      changes.copy = copy
      try page(&changes)
    }
  }
}
