internal import GemLedger

/// Replays the merges, and checks that each has its transaction and only moves currency.
struct MergeCheck {
  private let context: VerifyContext

  init(_ context: VerifyContext) { self.context = context }

  func run(_ freezes: inout FreezeReplay) throws(LedgerError) -> MergedCustomers {
    var survivors: [CustomerNumber: CustomerNumber] = [:]
    var survivorsOfMerges: [TransactionNumber: CustomerNumber] = [:]
    var parts: [CustomerNumber: [CustomerNumber]] = [:]
    var last: TransactionNumber = 0
    while true {
      let page = try context.scan.merges(after: last, limit: ScanPage.size)
      guard let end = page.last?.transaction else { break }
      let transactions = try context.snapshot.transactions(page.map { RowAddress($0.transaction, of: $0.into) })
      for row in page {
        let transaction = transactions[row.transaction]
        survivorsOfMerges[row.transaction] = row.into
        if transaction?.kind != .merge || transaction?.customer != row.into || survivors[row.from] != nil {
          context.report(
            "merges_have_transactions",
            "the merge of customer number \(row.from) into \(row.into) names transaction \(row.transaction), which is "
              + "missing or not that merge")
        }
        freezes.add(FreezeEvent(transaction: row.transaction, customer: row.into, kind: .merge(row.from)))
        let moved = [row.from] + (parts.removeValue(forKey: row.from) ?? [])
        for customer in moved { survivors[customer] = row.into }
        parts[row.into, default: []] += moved
      }
      try checkSums(of: page)
      last = end
    }
    return MergedCustomers(survivors: survivors, survivorsOfMerges: survivorsOfMerges)
  }

  /// The entries of a merge add up to 0, currency by currency.
  private func checkSums(of page: [MergeRow]) throws(LedgerError) {
    // They are of two customers.
    let entries = try context.snapshot.entries(of: page.map { RowAddress($0.transaction, of: nil) })
    for row in page {
      for (currency, sum) in (entries[row.transaction] ?? []).sums(of: .merge) where sum != 0 {
        context.report(
          "merges_cancel_out", currency: currency,
          "transaction \(row.transaction) moved customer number \(row.from)'s into \(row.into)'s; its entries come to "
            + "\(sum), not to 0")
      }
    }
  }
}
