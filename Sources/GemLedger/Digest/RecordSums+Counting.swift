extension LedgerStorage {
  /// Counts the rows that an older version wrote, once: while no transaction has a digest.
  ///
  /// Whoever books with digests adds to sums. Sums that are missing beside a digest were taken away, and `verify` says
  /// so: to count again would take for right what is there now.
  ///
  /// Damaged rows are not counted and stop nobody from opening the ledger: `verify` names them.
  package func countOlderRows() throws(LedgerError) {
    do throws(LedgerError) {
      let areMissing = try read { (snapshot) throws(LedgerError) in
        guard try snapshot.recordSums() == nil else { return false }
        // Where the newest transaction has a digest, nobody is held up by a look at all of them.
        return try snapshot.transaction(try snapshot.sequences().transaction)?.digest ?? 0 == 0
      }
      if areMissing { try countRows() }
    } catch {
      guard error.code == .storageDamaged else { throw error }
    }
  }

  private func countRows() throws(LedgerError) {
    try commit(lanes: Array(0..<laneCount)) { (session) throws(LedgerError) in
      // Another process may have been quicker.
      guard try session.recordSums() == nil else { return }
      guard let sums = try session.countRecordSums() else { return }
      var changes = ChangeSet()
      changes.countedSums = sums
      try session.write(changes)
    }
  }
}

extension StorageSnapshot {
  /// The sums over all rows as they are; nil where a transaction has a digest.
  func countRecordSums() throws(LedgerError) -> RecordSums? {
    let scan = try scan()
    var sums = RecordSums()
    var last: TransactionNumber = 0
    while true {
      let page = try scan.transactions(after: last, limit: Verifier.pageSize)
      guard let end = page.last?.number else { break }
      guard page.allSatisfy({ $0.digest == 0 }) else { return nil }
      for row in page { sums.add(transaction: row) }
      last = end
    }
    return try countRecordSums(besides: sums)
  }

  /// - Parameter transactions: The sums of transactions, counted already.
  func countRecordSums(besides transactions: RecordSums) throws(LedgerError) -> RecordSums {
    guard let scan = try scan() as? any ExportReads else {
      throw .defect("The storage cannot be read from end to end")
    }
    var sums = transactions
    try addCustomers(to: &sums)
    try addRecords(of: scan, to: &sums)
    return sums
  }

  private func addCustomers(to sums: inout RecordSums) throws(LedgerError) {
    var last: CustomerNumber = 0
    while true {
      let page = try customers(after: last, limit: Verifier.pageSize)
      guard let end = page.last?.number else { return }
      let added = try addedIDs(of: page.map(\.number))
      for row in page {
        sums.add(row)
        for id in added[row.number] ?? [] { sums.add(AddedIDRow(customer: row.number, id: id)) }
      }
      last = end
    }
  }

  private func addRecords(of scan: any ExportReads, to sums: inout RecordSums) throws(LedgerError) {
    var token: AccountTokenRow?
    while true {
      let page = try scan.accountTokens(after: token, limit: Verifier.pageSize)
      guard let end = page.last else { break }
      for row in page { sums.add(row) }
      token = end
    }
    var order: OrderNumber = 0
    while true {
      let page = try orders(after: order, limit: Verifier.pageSize)
      guard let end = page.last?.number else { break }
      for row in page { sums.add(row) }
      order = end
    }
    for row in try environments() { sums.add(row) }
    for row in try scan.catalogVersions() { sums.addCatalogVersion(appliedAt: row.appliedAt) }
    var rows: [CatalogRow] = []
    for kind in CatalogRow.Kind.allCases { rows += try catalogRows(kind) }
    sums.set(catalog: rows)
  }
}
