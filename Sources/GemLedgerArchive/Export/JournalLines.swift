package import GemLedger
package import GemLedgerAudit

/// The lines of the journal: its transactions with their purchases, keys and customers.
package struct JournalLines {
  package let writer: ExportWriter
  private let transactionIDs: TransactionIDMaker
  /// The codes of currencies by number, in written form.
  private let codes: [Int64: [UInt8]]

  package init(_ writer: ExportWriter, _ definitions: CurrencyDefinitions) {
    self.init(
      writer, definitions.transactionIDs,
      codes: Dictionary(
        uniqueKeysWithValues: definitions.currencies.map { ($0.number, Array($0.code.description.utf8)) }))
  }

  private init(_ writer: ExportWriter, _ transactionIDs: TransactionIDMaker, codes: [Int64: [UInt8]]) {
    self.writer = writer
    self.transactionIDs = transactionIDs
    self.codes = codes
  }

  /// Returns the same lines for another writer.
  func written(to writer: ExportWriter) -> Self { Self(writer, transactionIDs, codes: codes) }

  /// Writes a line with the row's members.
  package func write<Row: ExportedRow>(_ type: StaticString, _ row: Row) throws(LedgerError) {
    writer.begin(type)
    members(of: row)
    try writer.end()
  }

  /// Writes the row's members into the open line.
  package func members<Row: ExportedRow>(of row: Row) {
    var members = members
    members.write(row)
  }

  package func write(_ row: PurchaseRow) throws(LedgerError) {
    var row = row
    if let grant = row.grant, codes[grant.currency] == nil { row.grant = nil }
    try write("purchase", row)
  }

  /// Writes the members that identify a statement and never change.
  package func identify(_ row: EvidenceRow) {
    var (row, members) = (row, members)
    row.visitStatement(&members)
  }

  private var members: MemberWriter { MemberWriter(writer, codes: codes) }

  // MARK: Transactions

  /// Writes all members of a transaction that no erasure removes, and leaves its line open.
  ///
  /// - Parameter newLots: The attributes of the lots that the transaction made.
  package func begin(_ transaction: ExportedTransaction, newLots: [LotAttributesRow]) throws(LedgerError) {
    let row = transaction.row
    var members = MemberWriter(writer, codes: codes, in: row)
    writer.begin("transaction")
    members.write(row, .first)
    writer.id("id", transactionIDs.id(number: row.number, createdAt: row.createdAt))
    members.write(row, .middle)
    if !newLots.isEmpty { members.list("new_lots", newLots) }
    if !transaction.entries.isEmpty { write(transaction.entries, &members) }
    if !transaction.items.isEmpty { members.list("items", transaction.items) }
    if let merge = transaction.merge { members.write(merge) }
    if let refund = transaction.refund {
      writer.object("refund") {
        members.write(refund)
        members.list("parts", transaction.refundParts)
      }
    }
    if !transaction.events.isEmpty { members.list("effects", transaction.events) }
    guard let currency = members.unknownCurrency else { return }
    throw LedgerError(
      .booksWrong,
      "Transaction \(row.number) names currency number \(currency), which is missing in the catalog. Run verify.")
  }

  /// Writes the other members and ends the line.
  func end(_ transaction: ExportedTransaction) throws(LedgerError) {
    var members = members
    if let note = transaction.note { members.write(note) }
    members.write(transaction.row, .last)
    try writer.end()
  }

  private func write(_ entries: [(entry: EntryRow, allocations: [AllocationRow])], _ members: inout MemberWriter) {
    writer.list("entries") {
      for (entry, allocations) in entries {
        writer.object {
          members.write(entry)
          if entry.lot == 0 {
            writer.list("lots") { for allocation in allocations { writer.pair(allocation.lot, allocation.amount) } }
          }
        }
      }
    }
  }
}

extension MemberWriter {
  fileprivate mutating func write<Row: ExportedRow>(_ row: Row) {
    guard Row.hasPlacedMembers else { return write(row, .middle) }
    write(row, .first)
    write(row, .middle)
    write(row, .last)
  }

  fileprivate mutating func write<Row: ExportedRow>(_ row: Row, _ place: ExportMember.Place) {
    var row = row
    self.place = place
    row.write(to: &self)
  }

  fileprivate mutating func list<Row: ExportedRow>(_ name: StaticString, _ rows: [Row]) {
    writer.list(name) { for row in rows { writer.object { write(row) } } }
  }
}
