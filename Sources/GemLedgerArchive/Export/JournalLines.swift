package import GemLedger
package import GemLedgerAudit

/// The lines of the journal: its transactions with their purchases, keys and customers.
package struct JournalLines {
  package let writer: ExportWriter
  private let transactionIDs: TransactionIDMaker
  /// The codes of currencies by number, in written form.
  private let codes: [Int64: [UInt8]]

  package init(_ writer: ExportWriter, _ definitions: CurrencyDefinitions) {
    self.writer = writer
    transactionIDs = definitions.transactionIDs
    codes = Dictionary(
      uniqueKeysWithValues: definitions.currencies.map { ($0.number, Array($0.code.description.utf8)) })
  }

  /// Writes all members of a transaction that no erasure removes, and leaves its line open.
  ///
  /// - Parameter newLots: The attributes of the lots that the transaction made.
  package func begin(_ transaction: ExportedTransaction, newLots: [LotAttributesRow]) throws(LedgerError) {
    let row = transaction.row
    writer.begin("transaction")
    writer.integer("number", row.number)
    writer.id("id", transactionIDs.id(number: row.number, createdAt: row.createdAt))
    writer.text("kind", row.kind.name)
    writer.integer("customer", row.customer)
    writer.time("created_at", row.createdAt)
    if !newLots.isEmpty { write(newLots) }
    if !transaction.entries.isEmpty { try writeEntries(transaction) }
    if !transaction.items.isEmpty { writeItems(transaction) }
    if let merge = transaction.merge { writer.integer("merged_customer", merge.from) }
    if let refund = transaction.refund { write(refund, transaction.refundParts) }
    if !transaction.events.isEmpty { try writeEvents(transaction) }
  }

  package func members(of note: NoteRow) {
    writer.text("reference", ifAny: note.reference?.text)
    writer.text("reason", ifAny: note.reason?.text)
    writer.text("actor", ifAny: note.actor?.text)
  }

  package func write(_ row: PurchaseRow) throws(LedgerError) {
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

  /// Writes the members that every key has, and leaves its line open.
  package static func begin(_ row: KeyRow, _ writer: ExportWriter) {
    writer.begin("key")
    writer.integer("customer", row.customer)
    writer.text("key", row.key.text)
    writer.hexadecimal("asked", UInt64(bitPattern: row.fingerprint.asked))
    writer.hexadecimal("qualifiers", UInt64(bitPattern: row.fingerprint.qualifiers))
  }

  /// Writes a customer's number and first id, and leaves the line open.
  package func begin(_ row: CustomerRow) {
    writer.begin("customer")
    writer.integer("number", row.number)
    writer.text("id", row.id.text)
    writer.time("created_at", row.createdAt)
  }
}

// MARK: Parts of a transaction

extension JournalLines {
  private func code(of currency: Int64, in transaction: TransactionRow) throws(LedgerError) -> [UInt8] {
    guard let code = codes[currency] else {
      throw LedgerError(
        .booksWrong,
        "Transaction \(transaction.number) names currency number \(currency), which is missing in the catalog. Run "
          + "verify.")
    }
    return code
  }

  private func writeEntries(_ transaction: ExportedTransaction) throws(LedgerError) {
    var known: [[UInt8]] = []
    for (entry, _) in transaction.entries {
      known.append(try code(of: entry.account.currency, in: transaction.row))
    }
    writer.list("entries", transaction.entries.indices) { index in
      let (entry, allocations) = transaction.entries[index]
      writer.object {
        writer.plain("currency", known[index])
        if entry.account.customer != transaction.row.customer { writer.integer("customer", entry.account.customer) }
        if entry.kind != transaction.row.kind { writer.text("kind", entry.kind.name) }
        writer.integer("amount", entry.amount)
        writer.integer("balance", entry.balance)
        if entry.debt != 0 { writer.integer("debt", entry.debt) }
        if entry.lot != 0 {
          writer.integer("lot", entry.lot)
        } else {
          writer.list("lots", allocations) { writer.pair($0.lot, $0.amount) }
        }
      }
    }
  }

  private func write(_ lots: [LotAttributesRow]) {
    writer.list("new_lots", lots) { row in
      writer.object {
        writer.integer("lot", row.lot)
        writer.text("source", row.source.name)
        writer.environment(row.environment)
        writer.price(row.price)
        writer.integer("purchase", ifAny: row.purchase)
        if row.expiresAt != .max { writer.time("expires_at", Timestamp(milliseconds: row.expiresAt)) }
        if row.originalLot != 0 { writer.integer("origin", row.originalLot) }
      }
    }
  }

  private func writeItems(_ transaction: ExportedTransaction) {
    writer.list("items", transaction.items) { row in
      writer.object {
        writer.text("item", row.item.text)
        if row.customer != transaction.row.customer { writer.integer("customer", row.customer) }
        writer.integer("quantity", row.quantity)
        writer.integer("owned", row.owned)
      }
    }
  }

  private func write(_ row: RefundRow, _ parts: [RefundPartRow]) {
    writer.object("refund") {
      writer.integer("purchase", row.purchase)
      writer.text("kind", row.kind.name)
      writer.time("revoked_at", row.revokedAt)
      writer.time("signed_at", row.signedAt)
      if let extent = row.extent {
        if extent == .full { writer.text("extent", "full") }
        writer.amount(of: extent)
      }
      if row.evidenceAt != row.signedAt { writer.time("evidence_at", row.evidenceAt) }
      writer.pair("share", row.share.part, row.share.whole)
      if row.freezes != 0 { writer.integer("freezes", row.freezes) }
      writer.list("parts", parts) { part in
        writer.object {
          writer.integer("lot", part.lot)
          writer.text("kind", part.kind.name)
          if part.source != 0 { writer.integer("source", part.source) }
          writer.integer("amount", part.amount)
        }
      }
    }
  }

  private func writeEvents(_ transaction: ExportedTransaction) throws(LedgerError) {
    var known: [[UInt8]?] = []
    for row in transaction.events {
      known.append(row.currency == 0 ? nil : try code(of: row.currency, in: transaction.row))
    }
    writer.list("effects", transaction.events.indices) { index in
      let row = transaction.events[index]
      writer.object {
        writer.text("kind", row.kind.name)
        if row.customer != transaction.row.customer { writer.integer("customer", row.customer) }
        if row.target != 0 { writer.integer("target", row.target) }
        if let code = known[index] { writer.plain("currency", code) }
        if row.lot != 0 { writer.integer("lot", row.lot) }
        if row.amount != 0 { writer.integer("amount", row.amount) }
        if row.value != 0 { writer.integer("value", row.value) }
        if let count = row.count {
          writer.text("count", count.kind.name)
          writer.text("subject", count.subject)
        }
        if row.period != 0 { writer.integer("period", row.period) }
        if row.heldAfter != 0 { writer.integer("held_after", row.heldAfter) }
      }
    }
  }
}

extension ExportWriter {
  func identity(_ identity: PurchaseIdentity) {
    text("store", identity.store.description)
    environment(identity.environment)
    text("store_transaction_id", identity.transactionID.text)
  }

  /// Writes the immutable members that identify a statement.
  package func identify(_ row: EvidenceRow) {
    identity(row.identity)
    text("kind", row.kind.name)
    if row.revokedAt.milliseconds != 0 { time("revoked_at", row.revokedAt) }
    // The stored digest: its content may be erased.
    if row.variant != 0 { hexadecimal("variant", UInt64(bitPattern: row.variant)) }
  }

  /// Writes the refunded part; nothing for a full refund.
  func amount(of extent: StoreRefund.Extent) {
    switch extent {
    case .full: break
    case .milliPercent(let share): integer("milli_percent", share)
    case .totalQuantity(let units): integer("quantity", units)
    case .quantity(let units): integer("units", units)
    }
  }

  /// Writes environments without a session by name, others by the number that a separate line defines.
  func environment(_ number: Int64) {
    if let kind = StoreEnvironment.Kind(rawValue: number) {
      text("environment", EnvironmentName.of(kind))
    } else if let known = environments[number] {
      text("environment", EnvironmentName.of(known.kind))
      text("session", ifAny: known.session)
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
