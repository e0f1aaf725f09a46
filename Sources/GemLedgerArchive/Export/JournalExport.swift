internal import GemLedger

/// Writes one snapshot of a ledger, or its new part, as lines.
///
/// The journal is in the order of numbers, each transaction with its rows: the scans over entries, notes, items and so
/// on advance in parallel. Rows in another order (keys, orders) have separate lines.
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
  /// The start of the next export.
  var position: ExportPosition
  /// Whether numbers have no gaps, so an import needs no record of gaps.
  let isDense: Bool
  let laneCount: Int
  let lines: JournalLines
  var transactionCount: Int64 = 0
  var entryCount: Int64 = 0
  /// The sum of the digests of the keys of all written transactions.
  var keyDigests: UInt64 = 0

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
    lines = JournalLines(writer, definitions)
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
    let sums = try snapshot.recordSums().map(ExportPosition.Sums.init)
    for section in ExportSection.allCases where !isKnown(section, sums) { try writeIfChanged(section) }
    position.sums = sums
    return try writeEnd()
  }

  // MARK: First and last

  private func writeHeader(after cursor: ExportCursor?) throws(LedgerError) {
    let project = try snapshot.project()
    writer.begin("header")
    writer.text("format", Self.formatName)
    writer.integer("format_version", Self.formatVersion)
    writer.object("project") { lines.members(of: project) }
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
    writer.list("versions") { for row in versions { writer.object { lines.members(of: row) } } }
    writer.list("objects") { for row in rows { writer.object { lines.members(of: row) } } }
    try writer.end()
    position.catalogVersion = version
  }

  private mutating func writeEnvironments() throws(LedgerError) {
    let rows = try snapshot.environments().sorted { $0.number < $1.number }
    for row in rows where row.number > position.environment {
      try lines.write("environment", row)
      position.environment = row.number
    }
  }

  /// Writes customers; all of them if lanes assign numbers concurrently.
  ///
  /// A low number may then be committed after a high one.
  private mutating func writeCustomers() throws(LedgerError) {
    let start = snapshot.commitsInOrder ? position.customer : 0
    try CustomerRow.eachPage(after: start, in: snapshot) { (rows) throws(LedgerError) in
      for row in rows { try lines.write("customer", row) }
      position.customer = rows.last?.number ?? position.customer
    }
  }

  // MARK: Purchases and keys

  private mutating func writePurchases() throws(LedgerError) {
    var start = PurchaseRow.blank
    start.number = snapshot.commitsInOrder ? position.purchase : 0
    try scan.pages(after: start) { (rows) throws(LedgerError) in
      for row in rows where after?.feed.covers(row.transaction) != true { try lines.write(row) }
      position.purchase = rows.last?.number ?? position.purchase
    }
  }

  /// Writes the keys of transactions; a key has the age of its transaction.
  private func writeKeys() throws(LedgerError) {
    let start = try firstNumber()
    if after != nil, snapshot.commitsInOrder,
      let rows = try scan.newestKeys(after: start, digests: keyDigests, limit: Self.newestKeyCountMax)
    {
      for row in rows { try lines.write("key", row) }
      return
    }
    try scan.keyPages(.booked(after: start)) { (rows) throws(LedgerError) in
      for row in rows {
        guard let number = row.bookedTransaction, after?.feed.covers(number) != true else { continue }
        try lines.write("key", row)
      }
    }
  }

  /// The number of keys that are held at once.
  private static let newestKeyCountMax = 65_536
}
