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
    case .keys:
      try readAll(page) { (changes: inout ChangeSet, rows: [KeyRow]) in
        changes.keys = rows
        // Only memory looks keys up by their hashes, and memory is not copied into.
        changes.keyHashes = [Int](repeating: 0, count: rows.count)
      }
    case .purchases: try readPurchases(page)
    case .accounts: try readAccounts(page)
    case .lots: try readLots(page)
    case .formerLots: try readFormerLots(page)
    case .items: try readAll(page) { $0.itemEntries = $1 }
    case .checkpoints: try readCheckpoints(page)
    case .merges: try readAll(page, after: .blank) { $0.ownCold.merges = $1 }
    case .refunds: try readRefunds(page)
    case .evidence: try readAll(page) { $0.ownCold.evidence = $1 }
    case .orders: try readAll(page, after: .blank) { $0.orders.new = $1 }
    case .accountTokens: try readAll(page) { $0.orders.accountTokens = $1 }
    case .events: try readAll(page) { $0.ownCold.events = $1 }
    case .holds: try readAll(page, after: .blank) { $0.ownCold.holds = $1 }
    case .counts: try readAll(page) { $0.ownCold.counts = $1 }
    case .documents: try readAll(page, of: Limits.documentsPerPage) { $0.ownCold.documents = $1 }
    }
  }

  /// Reads a table whose rows a copy has as they are.
  private func readAll<Row: StoredRow>(
    _ page: Page, after start: Row? = nil, of size: Int = CopyStep.pageSize, _ set: (inout ChangeSet, [Row]) -> Void
  ) throws(LedgerError) {
    try scan.pages(after: start, of: size) { (rows: [Row]) throws(LedgerError) in
      var changes = ChangeSet()
      set(&changes, rows)
      try page(&changes)
    }
  }

  // MARK: Catalog and customers

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
    try CustomerRow.eachPage(in: snapshot) { (rows) throws(LedgerError) in
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

  // MARK: Balances

  private func readAccounts(_ page: Page) throws(LedgerError) {
    try scan.pages(after: .blank) { (rows: [AccountRow]) throws(LedgerError) in
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
    try scan.pages(after: .blank) { (rows: [LotRow]) throws(LedgerError) in
      var changes = ChangeSet()
      changes.newLots = rows
      let attributes = try snapshot.lotAttributes(rows.map { RowAddress($0.number, of: $0.account.customer) })
      changes.ownCold.lotAttributes = rows.compactMap { attributes[$0.number] }
      changes.lastLot = rows.last?.number
      try page(&changes)
    }
  }

  private func readCheckpoints(_ page: Page) throws(LedgerError) {
    try scan.pages { (rows: [CheckpointRow]) throws(LedgerError) in
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
    try scan.pages(after: .blank) { (rows: [MergeRow]) throws(LedgerError) in
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
