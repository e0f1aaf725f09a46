internal import GemLedger

/// Compares every customer's row with the journal, and every id with its customer.
struct CustomerCheck {
  private let context: VerifyContext
  private let merges: MergedCustomers

  init(_ context: VerifyContext, _ merges: MergedCustomers) {
    self.context = context
    self.merges = merges
  }

  /// - Parameters:
  ///   - frozen: The frozen customers according to the journal.
  ///   - erased: The customers with a booked erasure.
  /// - Returns: The number of customers that are not merged into others.
  func run(
    frozen: [CustomerNumber: Int64], erased: Set<CustomerNumber>
  ) throws(LedgerError) -> Int64 {
    var count: Int64 = 0
    var idCount: Int64 = 0
    try CustomerRow.eachPage(in: context.snapshot) { (page) throws(LedgerError) in
      let named = try context.snapshot.customers(named: page.map(\.id))
      let added = try context.snapshot.addedIDs(of: page.map(\.number))
      for row in page {
        if named[row.id] == nil {
          context.report("customers_are_known", "customer number \(row.number) is not found by its id \"\(row.id)\"")
        }
        let (survivor, partCount) = (merges.survivors[row.number] ?? 0, merges.partCount(of: row.number))
        if row.mergedInto != survivor || row.merged != partCount {
          context.report(
            "merges_replay",
            "customer number \(row.number) is merged into \(row.mergedInto) and has \(row.merged) parts; the journal "
              + "gives \(survivor) and \(partCount)")
        }
        if row.frozen != frozen[row.number] ?? 0 {
          context.report(
            "freezes_replay",
            "customer number \(row.number) is frozen \(row.frozen); the journal gives \(frozen[row.number] ?? 0)")
        }
        if row.mergedInto == 0 { count += 1 }
        // The replacement id of an erased customer contains the number, so it need not be listed.
        idCount +=
          (row.isErased(salt: context.definitions.transactionIDs.salt) ? 0 : 1) + Int64(added[row.number]?.count ?? 0)
        checkErasure(of: row, erased)
      }
    }
    try checkIDs(count: idCount)
    return count
  }

  /// Checks that an erased customer's replacement id contains the customer's number.
  private func checkErasure(of row: CustomerRow, _ erased: Set<CustomerNumber>) {
    guard !row.isErased(salt: context.definitions.transactionIDs.salt) else { return }
    if erased.contains(row.number) || row.id.isOfErased {
      context.report(
        "ids_name_customers",
        "the erased customer number \(row.number) has the id \"\(row.id)\", not its replacement id")
    }
  }

  /// Checks that every id names the customer whose row lists it.
  private func checkIDs(count: Int64) throws(LedgerError) {
    var found: Int64 = 0
    try context.scan.pages { (page: [AddedIDRow]) throws(LedgerError) in
      let customers = try context.snapshot.customers(page.map(\.customer).distinct())
      let others = page.filter { customers[$0.customer]?.id != $0.id }
      let added = try context.snapshot.addedIDs(of: others.map(\.customer).distinct())
      for row in others {
        if customers[row.customer] == nil || added[row.customer]?.contains(row.id) != true {
          context.report(
            "ids_name_customers", "the id \"\(row.id)\" names customer number \(row.customer), which does not have it")
        }
      }
      let salt = context.definitions.transactionIDs.salt
      found += Int64(page.count { !$0.id.isOfErased || $0.id.numberOfErased(salt: salt) != $0.customer })
    }
    if found != count { context.report("ids_name_customers", "there are \(found) ids; the customers have \(count)") }
  }
}
