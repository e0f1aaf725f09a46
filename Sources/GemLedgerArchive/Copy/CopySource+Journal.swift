internal import GemLedger
internal import GemLedgerAudit

// The journal, and the rows that belong to it.

extension CopySource {
  /// Transactions with their entries, allocations and notes.
  func readJournal(_ page: Page) throws(LedgerError) {
    var journal = JournalScan(scan)
    var entry = try journal.nextEntry()
    var notes: ArraySlice<NoteRow> = []
    var lastNote: TransactionNumber = 0
    var last: TransactionNumber = 0
    while true {
      let rows = try scan.transactions(after: last, limit: CopyStep.pageSize)
      guard let end = rows.last?.number else { break }
      var changes = ChangeSet()
      for row in rows {
        let first = changes.entries.count
        while let own = entry, own.transaction == row.number {
          try add(own, try journal.allocations(of: own), of: row, to: &changes)
          entry = try journal.nextEntry()
        }
        append(row, hasEntries: changes.entries.count > first, to: &changes)
      }
      while true {
        if notes.isEmpty { notes = try scan.notes(after: lastNote, limit: CopyStep.pageSize)[...] }
        guard let note = notes.first, note.transaction <= end else { break }
        changes.notes.append(note)
        lastNote = note.transaction
        notes.removeFirst()
      }
      last = end
      try page(&changes)
    }
    guard let entry else { return }
    throw LedgerError(
      .booksWrong, "Entry \(entry.number) names transaction \(entry.transaction), which is missing. Run verify.")
  }

  private func append(_ row: TransactionRow, hasEntries: Bool, to changes: inout ChangeSet) {
    var row = row
    if renumbersEntries { row.firstEntry = Numbering.entries(of: row.number).lowerBound }
    changes.transactions.append(row)
    if !hasEntries { changes.transactionsWithoutEntries.append(row) }
  }

  private func add(
    _ entry: EntryRow, _ allocations: [AllocationRow], of transaction: TransactionRow, to changes: inout ChangeSet
  ) throws(LedgerError) {
    var own = entry
    own.number = numbered(entry.number, of: transaction)
    own.previous = try numbered(entry.previous)
    changes.entries.append(own)
    for var allocation in allocations {
      allocation.entry = own.number
      changes.allocations.append(allocation)
    }
  }

  // MARK: Numbers of entries

  /// The number that an entry has in the copy; 0 stays 0.
  func numbered(_ entry: EntryNumber) throws(LedgerError) -> EntryNumber {
    guard renumbersEntries, entry != 0 else { return entry }
    guard let row = try snapshot.entry(entry), let transaction = try snapshot.transaction(row.transaction) else {
      throw LedgerError(.booksWrong, "Entry \(entry) or its transaction is missing. Run verify.")
    }
    return numbered(entry, of: transaction)
  }

  private func numbered(_ entry: EntryNumber, of transaction: TransactionRow) -> EntryNumber {
    guard renumbersEntries else { return entry }
    return Numbering.entries(of: transaction.number).lowerBound + entry - transaction.firstEntry
  }

  // MARK: Purchases

  func readPurchases(_ page: Page) throws(LedgerError) {
    try scan.pages(after: .blank) { (rows: [PurchaseRow]) throws(LedgerError) in
      var changes = ChangeSet()
      changes.purchases = rows
      let holders = try snapshot.entitlementHolders(of: rows.map { RowAddress($0.number, of: $0.customer) })
      changes.orders.entitlements = rows.compactMap { row in
        holders[row.number].map { EntitlementRow(purchase: row.number, holder: $0) }
      }
      try page(&changes)
    }
  }

  // MARK: Refunds

  func readRefunds(_ page: Page) throws(LedgerError) {
    var parts: ArraySlice<RefundPartRow> = []
    var lastPart: RefundPartRow?
    try scan.pages(after: .blank) { (rows: [RefundRow]) throws(LedgerError) in
      var changes = ChangeSet()
      changes.ownCold.refunds = rows
      let end = rows.last?.transaction ?? 0
      while true {
        if parts.isEmpty { parts = try scan.page(after: lastPart, limit: CopyStep.pageSize)[...] }
        guard let part = parts.first, part.transaction <= end else { break }
        changes.ownCold.refundParts.append(part)
        lastPart = part
        parts.removeFirst()
      }
      changes.copy = try owning(rows.map(\.purchase))
      try page(&changes)
    }
  }

  private func owning(_ purchases: [Int64]) throws(LedgerError) -> CopyChanges {
    var copy = CopyChanges(progress: nil)
    copy.purchaseOwners = try snapshot.purchases(Set(purchases).map { RowAddress($0, of: nil) }).mapValues(\.customer)
    return copy
  }
}
