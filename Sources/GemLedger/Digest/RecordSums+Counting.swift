extension StorageSnapshot {
  /// The sums over all rows as they are.
  ///
  /// - Parameter transactions: The sums of transactions, counted already.
  package func countRecordSums(besides transactions: RecordSums) throws(LedgerError) -> RecordSums {
    let scan = try scan()
    var sums = transactions
    try addCustomers(to: &sums)
    try addRecords(of: scan, to: &sums)
    return sums
  }

  private func addCustomers(to sums: inout RecordSums) throws(LedgerError) {
    var last: CustomerNumber = 0
    while true {
      let page = try customers(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { return }
      let added = try addedIDs(of: page.map(\.number))
      for row in page {
        sums.add(row)
        for id in added[row.number] ?? [] { sums.add(AddedIDRow(customer: row.number, id: id)) }
      }
      last = end
    }
  }

  private func addRecords(of scan: any StorageScan, to sums: inout RecordSums) throws(LedgerError) {
    var token: AccountTokenRow?
    while true {
      let page = try scan.accountTokens(after: token, limit: ScanPage.size)
      guard let end = page.last else { break }
      for row in page { sums.add(row) }
      token = end
    }
    var order: OrderNumber = 0
    while true {
      let page = try scan.orders(after: order, limit: ScanPage.size)
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
