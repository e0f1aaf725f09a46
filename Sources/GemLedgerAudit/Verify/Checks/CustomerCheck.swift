internal import GemLedger

/// Compares every customer's row with the journal.
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
    try CustomerRow.eachPage(in: context.snapshot) { (page) in
      for row in page {
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
        checkErasure(of: row, erased)
      }
    }
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
}
