internal import GemLedger

/// Checks that every id names the customer whose row lists it, and that every customer is found by its ids.
struct IDCheck {
  private let context: VerifyContext
  private let salt: UInt64

  init(_ context: VerifyContext) {
    self.context = context
    salt = context.definitions.transactionIDs.salt
  }

  /// Runs the check; it looks customers up by their ids if some are missing, or if an index may lack them.
  ///
  /// Each id is stored once. So if all name customers that have them, and the counts are equal, no id is missing.
  func run() throws(LedgerError) {
    let (count, areOfCustomers) = try checkNamed()
    let countSuffices = areOfCustomers && context.ledger.storage.traits.checksIndexes
    var expected: Int64 = 0
    try eachPage { (page) throws(LedgerError) in
      if !countSuffices { try findUnnamed(page) }
      let added = try context.snapshot.addedIDs(of: page.map(\.number))
      // The replacement id of an erased customer contains the number, so it need not be listed.
      for row in page { expected += (row.isErased(salt: salt) ? 0 : 1) + Int64(added[row.number]?.count ?? 0) }
    }
    if count != expected {
      context.report("ids_name_customers", "there are \(count) ids; the customers have \(expected)")
      if countSuffices { try eachPage(findUnnamed) }
    }
  }

  /// - Returns: The number of ids that customers should list, and whether each id's customer has it.
  private func checkNamed() throws(LedgerError) -> (count: Int64, areOfCustomers: Bool) {
    var (count, areOfCustomers): (Int64, Bool) = (0, true)
    try context.pages { (page: [AddedIDRow]) throws(LedgerError) in
      let customers = try context.snapshot.customers(page.map(\.customer).distinct())
      let others = page.filter { customers[$0.customer]?.id != $0.id }
      let added = try context.snapshot.addedIDs(of: others.map(\.customer).distinct())
      for row in others where customers[row.customer] == nil || added[row.customer]?.contains(row.id) != true {
        areOfCustomers = false
        context.report(
          "ids_name_customers", "the id \"\(row.id)\" names customer number \(row.customer), which does not have it")
      }
      count += Int64(page.count { !$0.id.isOfErased || $0.id.numberOfErased(salt: salt) != $0.customer })
    }
    return (count, areOfCustomers)
  }

  private func findUnnamed(_ page: [CustomerRow]) throws(LedgerError) {
    let named = try context.snapshot.customers(named: page.map(\.id))
    for row in page where named[row.id] == nil {
      context.report("customers_are_known", "customer number \(row.number) is not found by its id \"\(row.id)\"")
    }
  }

  private func eachPage(_ body: ([CustomerRow]) throws(LedgerError) -> Void) throws(LedgerError) {
    try CustomerRow.eachPage(in: context.snapshot) { (page) throws(LedgerError) in
      try context.abandonment.check()
      try body(page)
    }
  }
}
