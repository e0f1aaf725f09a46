internal import GemLedger

/// Replays merges and unmerges, and checks that each has a transaction and only moves currency.
struct MergeCheck {
  private let context: VerifyContext

  init(_ context: VerifyContext) { self.context = context }

  /// Replays merges and unmerges.
  ///
  /// - Parameter check: Receives each page of them, their transactions, and whether each fits those before it.
  func merged(
    _ check: ([MergeRow], [TransactionNumber: TransactionRow], [Bool]) throws(LedgerError) -> Void = { _, _, _ in }
  ) throws(LedgerError) -> MergedCustomers {
    var replay = MergeReplay()
    try context.pages(after: .blank) { (page: [MergeRow]) throws(LedgerError) in
      let transactions = try context.snapshot.transactions(page.map { RowAddress($0.transaction, of: $0.into) })
      let fits = page.map { row in
        transactions[row.transaction]?.kind == .unmerge ? replay.unmerge(row) : replay.merge(row)
      }
      try check(page, transactions, fits)
    }
    return MergedCustomers(replay)
  }

  func run(_ freezes: inout FreezeReplay) throws(LedgerError) -> MergedCustomers {
    try merged { (page, transactions, fits) throws(LedgerError) in
      for (row, fits) in zip(page, fits) {
        let transaction = transactions[row.transaction]
        let isUnmerge = transaction?.kind == .unmerge
        if transaction?.kind != (isUnmerge ? .unmerge : .merge) || transaction?.customer != row.into || !fits {
          context.report(
            "merges_have_transactions",
            isUnmerge
              ? "the unmerge of customer number \(row.into) from \(row.from), transaction \(row.transaction), undoes "
                + "no merge"
              : "the merge of customer number \(row.from) into \(row.into) names transaction \(row.transaction), which "
                + "is missing or not that merge")
        }
        if !isUnmerge {
          freezes.add(FreezeEvent(transaction: row.transaction, customer: row.into, kind: .merge(row.from)))
        }
      }
      try checkSums(of: page)
    }
  }

  /// Checks that the entries of a merge or an unmerge add up to 0 for each currency.
  private func checkSums(of page: [MergeRow]) throws(LedgerError) {
    // The entries belong to two customers.
    let entries = try context.snapshot.entries(of: page.map { RowAddress($0.transaction, of: nil) })
    for row in page {
      let own = entries[row.transaction] ?? []
      for (currency, sum) in own.sums(of: .merge) + own.sums(of: .unmerge) where sum != 0 {
        context.report(
          "merges_cancel_out", currency: currency,
          "transaction \(row.transaction) moved customer number \(row.from)'s into \(row.into)'s; its entries add up "
            + "to \(sum), not to 0")
      }
    }
  }
}
