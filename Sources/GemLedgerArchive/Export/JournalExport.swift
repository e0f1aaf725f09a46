internal import GemLedger

/// Writes one snapshot of a ledger, or the new part of it, as lines.
///
/// The journal comes in the order of numbers, each transaction with the rows that belong to it: the scans over entries,
/// notes, items and the like go side by side. Rows with an order of their own (keys, orders) have lines of their own.
struct JournalExport {
  static let formatName = "gemledger-journal"
  /// The only version that is written and read.
  static let formatVersion: Int64 = 3
  static let pageSize = 4096

  let snapshot: any StorageSnapshot
  let scan: any StorageScan
  let definitions: CurrencyDefinitions
  let writer: ExportWriter
  /// The end of the earlier export; nil for the whole journal.
  let after: ExportPosition?
  /// Where the next export will go on.
  var position: ExportPosition
  /// Whether numbers have no gaps, so that they need no room elsewhere when they are imported.
  let isDense: Bool
  let laneCount: Int
  /// The codes of currencies by their numbers, ready to be written.
  let codes: [Int64: [UInt8]]
  var transactionCount: Int64 = 0
  var entryCount: Int64 = 0

  init(
    _ snapshot: any StorageSnapshot, definitions: CurrencyDefinitions, after: ExportPosition?, laneCount: Int,
    _ sink: @escaping ([UInt8]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    self.snapshot = snapshot
    scan = try snapshot.scan()
    self.definitions = definitions
    self.after = after
    self.laneCount = laneCount
    position = after ?? ExportPosition()
    writer = ExportWriter(sink)
    isDense = try snapshot.journalCounts() == nil
    codes = Dictionary(
      uniqueKeysWithValues: definitions.currencies.map { ($0.number, Array($0.code.description.utf8)) })
  }

  mutating func run(
    after cursor: ExportCursor?, _ progress: (Int64, Int64) -> Void
  ) throws(LedgerError) -> ExportSummary {
    let counts = try snapshot.journalCounts()
    let total = if let counts { counts.transactions } else { try snapshot.sequences().transaction }
    try writeHeader(after: cursor)
    try writeCatalog()
    try writeEnvironments()
    try writeCustomers()
    try writePurchases()
    let expected = max(0, total - position.transactions)
    try writeJournal { progress($0, expected) }
    try writeKeys()
    for section in ExportSection.allCases { try writeIfChanged(section) }
    return try writeEnd()
  }

  // MARK: First and last

  private func writeHeader(after cursor: ExportCursor?) throws(LedgerError) {
    let project = try snapshot.project()
    writer.begin("header")
    writer.text("format", Self.formatName)
    writer.integer("format_version", Self.formatVersion)
    writer.object("project") {
      writer.hexadecimal("salt", project.salt)
      writer.time("created_at", project.createdAt)
    }
    writer.text("numbering", isDense ? "dense" : "sparse")
    writer.integer("catalog_version", try snapshot.catalogVersion())
    if let cursor { writer.text("after", cursor.description) } else { writer.null("after") }
    try writer.end()
  }

  private mutating func writeEnd() throws(LedgerError) -> ExportSummary {
    position.transactions += transactionCount
    position.entries += entryCount
    let cursor = ExportCursor(position, salt: definitions.transactionIDs.salt)
    let (checksum, lines) = (writer.checksum, writer.lineCount + 1)
    writer.begin("end")
    writer.text("cursor", cursor.description)
    writer.integer("transactions", transactionCount)
    writer.integer("entries", entryCount)
    writer.integer("lines", lines)
    writer.hexadecimal("checksum", checksum)
    try writer.end()
    try writer.finish()
    return ExportSummary(cursor: cursor, transactions: transactionCount, entries: entryCount, lines: lines)
  }

  // MARK: Catalog and customers

  private mutating func writeCatalog() throws(LedgerError) {
    let version = try snapshot.catalogVersion()
    guard version != position.catalogVersion else { return }
    let versions = try scan.catalogVersions().filter { $0.version > position.catalogVersion }
    var rows: [CatalogRow] = []
    for kind in CatalogRow.Kind.allCases { rows += try snapshot.catalogRows(kind) }
    writer.begin("catalog")
    writer.list("versions", versions) { row in
      writer.object {
        writer.integer("version", row.version)
        writer.time("applied_at", row.appliedAt)
      }
    }
    writer.list("objects", rows) { row in
      writer.object {
        writer.text("kind", row.kind.name)
        writer.text("code", row.code)
        writer.integer("position", row.position)
        writer.document("document", row.document)
      }
    }
    try writer.end()
    position.catalogVersion = version
  }

  private mutating func writeEnvironments() throws(LedgerError) {
    let rows = try snapshot.environments().sorted { $0.number < $1.number }
    for row in rows where row.number > position.environment {
      writer.begin("environment")
      writer.integer("number", row.number)
      writer.text("kind", EnvironmentName.of(row.environment.kind))
      writer.text("session", ifAny: row.environment.session)
      try writer.end()
      position.environment = row.number
    }
  }

  /// Where lanes number side by side, a low number may come after a high one: then all are given again.
  private mutating func writeCustomers() throws(LedgerError) {
    var last = snapshot.commitsInOrder ? position.customer : 0
    while true {
      let rows = try snapshot.customers(after: last, limit: Self.pageSize)
      guard let end = rows.last?.number else { return }
      for row in rows {
        writer.begin("customer")
        writer.integer("number", row.number)
        writer.text("id", row.id.text)
        writer.time("created_at", row.createdAt)
        try writer.end()
      }
      last = end
      position.customer = end
    }
  }

  // MARK: Purchases and keys

  private mutating func writePurchases() throws(LedgerError) {
    var last = snapshot.commitsInOrder ? position.purchase : 0
    while true {
      let rows = try scan.purchases(after: last, limit: Self.pageSize)
      guard let end = rows.last?.number else { return }
      for row in rows where after?.feed.covers(row.transaction) != true { try write(row) }
      last = end
      position.purchase = end
    }
  }

  private func write(_ row: PurchaseRow) throws(LedgerError) {
    writer.begin("purchase")
    writer.integer("number", row.number)
    writer.identity(row.identity)
    writer.integer("customer", row.customer)
    writer.integer("transaction", row.transaction)
    writer.text("product", row.product.text)
    writer.integer("quantity", row.quantity)
    writer.price(row.price)
    writer.time("purchased_at", row.purchasedAt)
    writer.text("original_transaction_id", ifAny: row.originalTransactionID?.text)
    if let expiresAt = row.expiresAt { writer.time("expires_at", expiresAt) }
    if let grant = row.grant, let code = codes[grant.currency] {
      writer.object("grant") {
        writer.plain("currency", code)
        writer.integer("lot", grant.lot)
        writer.integer("amount", grant.amount)
      }
    }
    writer.document("terms", row.frozenProduct)
    try writer.end()
  }

  /// Writes the keys of transactions; each names its transaction, and so is as old.
  private func writeKeys() throws(LedgerError) {
    try forEachKey { (row) throws(LedgerError) in
      guard case .booked(let number) = row.outcome, number > 0, after?.feed.covers(number) != true else { return }
      Self.begin(row, writer)
      writer.integer("transaction", number)
      try writer.end()
    }
  }

  func forEachKey(_ body: (KeyRow) throws(LedgerError) -> Void) throws(LedgerError) {
    try pages(from: nil, scan.keys(after:limit:), position: \.self) { (rows) throws(LedgerError) in
      for row in rows { try body(row) }
    }
  }

  static func begin(_ row: KeyRow, _ writer: ExportWriter) {
    writer.begin("key")
    writer.integer("customer", row.customer)
    writer.text("key", row.key.text)
    writer.hexadecimal("asked", UInt64(bitPattern: row.fingerprint.asked))
    writer.hexadecimal("qualifiers", UInt64(bitPattern: row.fingerprint.qualifiers))
  }
}

extension ExportWriter {
  func identity(_ identity: PurchaseIdentity) {
    text("store", identity.store.description)
    environment(identity.environment)
    text("store_transaction_id", identity.transactionID.text)
  }

  /// Nothing where it is all.
  func amount(of extent: StoreRefund.Extent) {
    switch extent {
    case .full: break
    case .milliPercent(let share): integer("milli_percent", share)
    case .totalQuantity(let units): integer("quantity", units)
    case .quantity(let units): integer("units", units)
    }
  }

  /// Those without a session by name, the others by the number that their own line gives.
  func environment(_ number: Int64) {
    if let kind = StoreEnvironment.Kind(rawValue: number) {
      text("environment", EnvironmentName.of(kind))
    } else {
      integer("environment", number)
    }
  }

  func price(_ price: Money?) {
    guard let price else { return }
    object("price") {
      integer("minor_units", price.minorUnits)
      text("currency", price.currency)
    }
  }
}
