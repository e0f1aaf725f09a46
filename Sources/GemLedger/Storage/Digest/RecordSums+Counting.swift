extension RecordSums {
  /// Adds all current rows except transactions.
  package mutating func addRecords(of snapshot: any StorageSnapshot) throws(LedgerError) {
    try addCustomers(of: snapshot)
    try addRecords(of: snapshot, by: try snapshot.scan())
  }

  private mutating func addCustomers(of snapshot: any StorageSnapshot) throws(LedgerError) {
    var last: CustomerNumber = 0
    while true {
      let page = try snapshot.customers(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { return }
      let added = try snapshot.addedIDs(of: page.map(\.number))
      for row in page {
        add(row)
        for id in added[row.number] ?? [] { add(AddedIDRow(customer: row.number, id: id)) }
      }
      last = end
    }
  }

  private mutating func addRecords(
    of snapshot: any StorageSnapshot, by scan: any StorageScan
  ) throws(LedgerError) {
    var token: AccountTokenRow?
    while true {
      let page = try scan.accountTokens(after: token, limit: ScanPage.size)
      guard let end = page.last else { break }
      for row in page { add(row) }
      token = end
    }
    var order: OrderNumber = 0
    while true {
      let page = try scan.orders(after: order, limit: ScanPage.size)
      guard let end = page.last?.number else { break }
      for row in page { add(row) }
      order = end
    }
    for row in try snapshot.environments() { add(row) }
    for row in try scan.catalogVersions() { addCatalogVersion(appliedAt: row.appliedAt) }
    var rows: [CatalogRow] = []
    for kind in CatalogRow.Kind.allCases { rows += try snapshot.catalogRows(kind) }
    set(catalog: rows)
  }
}
