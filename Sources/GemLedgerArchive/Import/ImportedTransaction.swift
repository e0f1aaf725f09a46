internal import GemLedger

/// A transaction as read from its line; its entries have no numbers yet.
struct ImportedTransaction {
  struct Entry {
    var account: AccountNumber
    var kind: EntryKind
    var amount: Int64
    var balance: Int64
    var debt: Int64
    /// The lot of the whole entry; 0 if the entry has allocations.
    var lot: LotNumber
    var allocations: [(lot: LotNumber, amount: Int64)]
  }

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
  mutating func transaction(_ context: ImportContext) throws(LineFault) -> ImportedTransaction {
    let number = try transactionNumber("number")
    var transaction = ImportedTransaction(
      row: TransactionRow(
        number: number, kind: try word("kind", EntryKind.init(name:)), customer: try customerNumber("customer"),
        createdAt: try time("created_at"), firstEntry: 0))
    // Also checks the id of the export: it is derived from the number and the instant.
    let id = context.ids.id(number: number, createdAt: transaction.row.createdAt)
    guard let (high, low) = try value("id").bytes(HexForm.parseUUID), id == TransactionID(high: high, low: low) else {
      throw LineFault("The id is not that of transaction \(number) of this project at this instant, \(id).")
    }
    for value in try list(ifAny: "new_lots") { transaction.newLots.append(try Self.lot(value)) }
    for value in try list(ifAny: "entries") {
      transaction.entries.append(try Self.entry(value, of: transaction.row, context))
    }
    for value in try list(ifAny: "items") { transaction.items.append(try Self.item(value, of: transaction.row)) }
    transaction.merged = try self.number(ifAny: "merged_customer")
    if let value = value(ifAny: "refund") { try Self.refund(value, &transaction) }
    for value in try list(ifAny: "effects") {
      let position = Int64(transaction.events.count) + 1
      transaction.events.append(try Self.event(value, of: transaction.row, position, context))
    }
    let note = NoteRow(
      transaction: number, reference: try identifier(ifAny: "reference"), reason: try identifier(ifAny: "reason"),
      actor: try identifier(ifAny: "actor"))
    if note.reference != nil || note.reason != nil || note.actor != nil { transaction.note = note }
    transaction.row.digest = try digest("digest")
    transaction.row.erasable = try digest(ifAny: "erasable_digest") ?? 0
    try end(
      "type", "number", "id", "kind", "customer", "created_at", "new_lots", "entries", "items", "merged_customer",
      "refund", "effects", "reference", "reason", "actor", "digest", "erasable_digest")
    return transaction
  }

  /// Reads a customer's number, with room to combine it with a currency's number.
  private mutating func customerNumber(_ name: StaticString) throws(LineFault) -> CustomerNumber {
    try self.number(name)
  }

  private static func lot(_ value: ImportValue) throws(LineFault) -> LotAttributesRow {
    var fields = try ImportFields(value)
    let row = LotAttributesRow(
      lot: try fields.number("lot"), source: try fields.word("source", LotSource.init(name:)),
      environment: try fields.environment(), price: try fields.price(), purchase: try fields.number(ifAny: "purchase"),
      expiresAt: try fields.time(ifAny: "expires_at")?.milliseconds ?? .max,
      originalLot: try fields.number(ifAny: "origin") ?? 0)
    try fields.end("lot", "source", "environment", "price", "purchase", "expires_at", "origin")
    return row
  }

  private static func entry(
    _ value: ImportValue, of transaction: TransactionRow, _ context: ImportContext
  ) throws(LineFault) -> ImportedTransaction.Entry {
    var fields = try ImportFields(value)
    let currency = try context.currency(try fields.text("currency"))
    let customer = try fields.number(ifAny: "customer") ?? transaction.customer
    let kind = try fields.word(ifAny: "kind", EntryKind.init(name:)) ?? transaction.kind
    var entry = ImportedTransaction.Entry(
      account: AccountNumber(customer: customer, currency: currency), kind: kind, amount: try fields.amount("amount"),
      balance: try fields.amount("balance"), debt: try fields.count("debt"),
      lot: try fields.number(ifAny: "lot") ?? 0, allocations: [])
    for value in try fields.list(ifAny: "lots") {
      let (lot, amount) = try pair(value, "lots")
      guard lot > 0, amount != 0 else { throw LineFault("\"lots\" names lot \(lot) with \(amount).") }
      entry.allocations.append((lot, amount))
    }
    guard entry.amount != 0, entry.balance >= 0 else {
      throw LineFault("An entry has the amount \(entry.amount) and the balance \(entry.balance).")
    }
    guard entry.lot == 0 || entry.allocations.isEmpty else {
      throw LineFault("An entry has both \"lot\" and \"lots\".")
    }
    try fields.end("currency", "customer", "kind", "amount", "balance", "debt", "lot", "lots")
    return entry
  }

  private static func item(_ value: ImportValue, of transaction: TransactionRow) throws(LineFault) -> ItemEntryRow {
    var fields = try ImportFields(value)
    let row = ItemEntryRow(
      transaction: transaction.number, customer: try fields.number(ifAny: "customer") ?? transaction.customer,
      item: try fields.identifier("item"), quantity: try fields.amount("quantity"), owned: try fields.count("owned"))
    guard row.quantity != 0 else { throw LineFault("An item has the quantity 0.") }
    try fields.end("item", "customer", "quantity", "owned")
    return row
  }

  private static func refund(
    _ value: ImportValue, _ transaction: inout ImportedTransaction
  ) throws(LineFault) {
    var fields = try ImportFields(value)
    let (part, whole) = try pair(try fields.value("share"), "share")
    guard whole > 0, (0...whole).contains(part) else { throw LineFault("\"share\" is \(part) of \(whole).") }
    transaction.refund = RefundRow(
      transaction: transaction.row.number, purchase: try fields.number("purchase"),
      kind: try fields.word("kind", EvidenceRow.Kind.init(name:)),
      revokedAt: try fields.time("revoked_at"), signedAt: try fields.time("signed_at"),
      extent: try fields.extent(), evidenceAt: try fields.time(ifAny: "evidence_at"),
      share: RefundShare(part, of: whole), freezes: try fields.integer(ifAny: "freezes") ?? 0)
    for value in try fields.list(ifAny: "parts") {
      var own = try ImportFields(value)
      transaction.refundParts.append(
        RefundPartRow(
          transaction: transaction.row.number, position: Int64(transaction.refundParts.count) + 1,
          lot: try own.number("lot"),
          kind: try own.word("kind") { name in RefundPartRow.Kind.allCases.first { $0.name == name } },
          source: try own.number(ifAny: "source") ?? 0, amount: try own.amount("amount")))
      try own.end("lot", "kind", "source", "amount")
    }
    try fields.end(
      "purchase", "kind", "revoked_at", "signed_at", "extent", "milli_percent", "quantity", "evidence_at", "share",
      "freezes", "parts")
  }

  private static func event(
    _ value: ImportValue, of transaction: TransactionRow, _ position: Int64, _ context: ImportContext
  ) throws(LineFault) -> JournalEventRow {
    var fields = try ImportFields(value)
    var row = JournalEventRow(
      transaction: transaction.number, position: position,
      customer: try fields.number(ifAny: "customer") ?? transaction.customer,
      kind: try fields.word("kind") { name in JournalEventRow.Kind.allCases.first { $0.name == name } },
      target: try fields.transactionNumber(ifAny: "target") ?? 0, createdAt: transaction.createdAt)
    if let code = try fields.text(ifAny: "currency") { row.currency = try context.currency(code) }
    row.lot = try fields.number(ifAny: "lot") ?? 0
    row.amount = try fields.count("amount")
    row.value = try fields.integer(ifAny: "value") ?? 0
    let count = try fields.word(ifAny: "count") { name in CountKey.Kind.allCases.first { $0.name == name } }
    if let count { row.count = CountKey(count, try fields.text("subject")) }
    row.period = try fields.integer(ifAny: "period") ?? 0
    row.heldAfter = try fields.count("held_after")
    try fields.end(
      "kind", "customer", "target", "currency", "lot", "amount", "value", "count", "subject", "period", "held_after")
    return row
  }
}
