internal import GemLedger
internal import GemLedgerAudit

// The journal: each transaction with all that hangs on it.

extension JournalExport {
  mutating func writeJournal(_ progress: (Int64) -> Void) throws(LedgerError) {
    let start = try firstNumber()
    var parts = TransactionScans(scan, after: start)
    var attributes = LotAttributesSource(
      snapshot, scan: isDense && snapshot.commitsInOrder ? scan : nil, after: position.lots[0])
    var newLots = NewLots(highest: position.lots, isDense: isDense)
    var last = start
    while true {
      let rows = try scan.transactions(after: last, limit: Self.pageSize)
      guard let end = rows.last?.number else { break }
      var page: [ExportedTransaction] = []
      page.reserveCapacity(rows.count)
      for row in rows {
        var transaction = try parts.next(row)
        guard after?.feed.covers(row.number) != true else { continue }
        transaction.newLots = newLots.note(transaction)
        page.append(transaction)
      }
      position.lots = newLots.highest
      try attributes.load(page)
      for transaction in page { try write(transaction, &attributes) }
      position.feed.advance(past: page.lazy.map(\.row.number), isOrdered: snapshot.commitsInOrder)
      transactionCount += Int64(page.count)
      last = end
      progress(transactionCount)
    }
    try parts.expectEnd()
  }

  /// Returns a number that all new transactions lie behind; exported ones may lie behind it too.
  func firstNumber() throws(LedgerError) -> TransactionNumber {
    guard let feed = after?.feed else { return 0 }
    guard !snapshot.commitsInOrder else { return feed.floor }
    // A lane that had booked nothing may come with any number.
    return (0..<Int64(max(laneCount, 1))).map(feed.last(ofLane:)).min() ?? 0
  }

  // MARK: A line

  private mutating func write(
    _ transaction: ExportedTransaction, _ attributes: inout LotAttributesSource
  ) throws(LedgerError) {
    let row = transaction.row
    writer.begin("transaction")
    writer.integer("number", row.number)
    writer.id("id", self.definitions.transactionIDs.id(number: row.number, createdAt: row.createdAt))
    writer.text("kind", row.kind.name)
    writer.integer("customer", row.customer)
    writer.time("created_at", row.createdAt)
    if !transaction.newLots.isEmpty { try writeLots(transaction.newLots, &attributes) }
    if !transaction.entries.isEmpty { try writeEntries(transaction) }
    if !transaction.items.isEmpty { writeItems(transaction) }
    if let merge = transaction.merge { writer.integer("merged_customer", merge.from) }
    if let refund = transaction.refund { write(refund, transaction.refundParts) }
    if !transaction.events.isEmpty { try writeEvents(transaction) }
    writer.text("reference", ifAny: transaction.note?.reference?.text)
    writer.text("reason", ifAny: transaction.note?.reason?.text)
    writer.text("actor", ifAny: transaction.note?.actor?.text)
    writer.digest("digest", row.digest)
    writer.digest("erasable_digest", row.erasable)
    try writer.end()
    entryCount += Int64(transaction.entries.count)
  }

  private func code(of currency: Int64, in transaction: TransactionRow) throws(LedgerError) -> [UInt8] {
    guard let code = codes[currency] else {
      throw LedgerError(
        .booksWrong,
        "Transaction \(transaction.number) names currency number \(currency), which the catalog does not have. Run "
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

  private func writeLots(_ lots: [LotAddress], _ attributes: inout LotAttributesSource) throws(LedgerError) {
    var rows: [LotAttributesRow] = []
    for address in lots { rows.append(try attributes.attributes(of: address)) }
    writer.list("new_lots", rows) { row in
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
