extension RecordSums {
  /// Adds all current rows except transactions.
  package mutating func addRecords(of snapshot: any StorageSnapshot) throws(LedgerError) {
    try addCustomers(of: snapshot)
    try addRecords(of: snapshot, by: try snapshot.scan())
  }

  private mutating func addCustomers(of snapshot: any StorageSnapshot) throws(LedgerError) {
    try CustomerRow.eachPage(in: snapshot) { (page) throws(LedgerError) in
      let added = try snapshot.addedIDs(of: page.map(\.number))
      for row in page {
        add(row)
        for id in added[row.number] ?? [] { add(AddedIDRow(customer: row.number, id: id)) }
      }
    }
  }

  private mutating func addRecords(
    of snapshot: any StorageSnapshot, by scan: any StorageScan
  ) throws(LedgerError) {
    try scan.pages { (page: [AccountTokenRow]) throws(LedgerError) in
      for row in page { add(row) }
    }
    try scan.pages(after: .blank) { (page: [OrderRow]) throws(LedgerError) in
      for row in page { add(row) }
    }
    for row in try snapshot.environments() { add(row) }
    for row in try scan.catalogVersions() { addCatalogVersion(appliedAt: row.appliedAt) }
    var rows: [CatalogRow] = []
    for kind in CatalogRow.Kind.allCases { rows += try snapshot.catalogRows(kind) }
    set(catalog: rows)
  }
}
