internal import GemLedger

/// A transaction as read from its line; its entries have no numbers yet.
struct ImportedTransaction {
  typealias Entry = (row: EntryRow, allocations: [AllocationRow])

  var row: TransactionRow
  var newLots: [LotAttributesRow] = []
  var entries: [Entry] = []
  var items: [ItemEntryRow] = []
  var merged: CustomerNumber?
  var refund: RefundRow?
  var refundParts: [RefundPartRow] = []
  var events: [JournalEventRow] = []
  var note: NoteRow?
}

extension ImportFields {
  mutating func importedTransaction() throws(LineFault) -> ImportedTransaction {
    var transaction = ImportedTransaction(row: try self.row())
    let row = transaction.row
    guard row.digest != 0 else { throw LineFault("\"digest\" is missing.") }
    // Also checks the id of the export: it is derived from the number and the instant.
    let id = context.ids.id(number: row.number, createdAt: row.createdAt)
    let written = try value("id")
    guard written.isText, let (high, low) = HexForm.parseUUID(written.utf8), id == TransactionID(high: high, low: low)
    else {
      throw LineFault("The id is not that of transaction \(row.number) of this project at this instant, \(id).")
    }
    transaction.newLots = try rows("new_lots")
    if let list = try list(ifAny: "entries") {
      transaction.entries.reserveCapacity(list.reservedCount)
      for value in list { transaction.entries.append(try Self.entry(value, context, row)) }
    }
    transaction.items = try rows("items", in: row)
    for index in transaction.items.indices {
      transaction.items[index].transaction = row.number
      guard transaction.items[index].quantity != 0 else { throw LineFault("An item has the quantity 0.") }
    }
    transaction.merged = try number(ifAny: "merged_customer")
    if let value = value(ifAny: "refund") { try Self.refund(value, &transaction) }
    transaction.events = try rows("effects", in: row)
    for index in transaction.events.indices {
      transaction.events[index].transaction = row.number
      transaction.events[index].position = Int64(index) + 1
      transaction.events[index].createdAt = row.createdAt
    }
    var note: NoteRow = try self.row()
    note.transaction = row.number
    if note.reference != nil || note.reason != nil || note.actor != nil { transaction.note = note }
    try end {
      $0.names(of: TransactionRow.self) + $0.names(of: NoteRow.self)
        + ["type", "id", "new_lots", "entries", "items", "merged_customer", "refund", "effects"]
    }
    return transaction
  }

  private static func entry(
    _ value: JSONNode, _ context: ImportContext, _ transaction: TransactionRow
  ) throws(LineFault) -> ImportedTransaction.Entry {
    var fields = try ImportFields(value, context, in: transaction)
    let row: EntryRow = try fields.row()
    var allocations: [AllocationRow] = []
    if let list = try fields.list(ifAny: "lots") {
      allocations.reserveCapacity(list.reservedCount)
      for value in list {
        let (lot, amount) = try pair(value, "lots")
        guard lot > 0, amount != 0 else { throw LineFault("\"lots\" names lot \(lot) with \(amount).") }
        allocations.append(AllocationRow(entry: 0, position: Int64(allocations.count) + 1, lot: lot, amount: amount))
      }
    }
    guard row.amount != 0, row.balance >= 0 else {
      throw LineFault("An entry has the amount \(row.amount) and the balance \(row.balance).")
    }
    guard row.lot == 0 || allocations.isEmpty else { throw LineFault("An entry has both \"lot\" and \"lots\".") }
    try fields.end { $0.names(of: EntryRow.self) + ["lots"] }
    return (row, allocations)
  }

  private static func refund(_ value: JSONNode, _ transaction: inout ImportedTransaction) throws(LineFault) {
    var fields = try ImportFields(value)
    var refund: RefundRow = try fields.row()
    refund.transaction = transaction.row.number
    transaction.refund = refund
    transaction.refundParts = try fields.rows("parts")
    for index in transaction.refundParts.indices {
      transaction.refundParts[index].transaction = refund.transaction
      transaction.refundParts[index].position = Int64(index) + 1
    }
    try fields.end { $0.names(of: RefundRow.self) + ["parts"] }
  }
}
