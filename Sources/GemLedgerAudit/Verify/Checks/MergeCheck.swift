internal import GemLedger

/// Replays merges and unmerges, and checks that each has a transaction and only moves currency.
struct MergeCheck {
  private let context: VerifyContext

  init(_ context: VerifyContext) { self.context = context }

  /// Replays merges and unmerges without checks.
  func merged() throws(LedgerError) -> MergedCustomers {
    var replay = MergeReplay()
    try context.pages(after: .blank) { (page: [MergeRow]) throws(LedgerError) in
      let transactions = try transactions(of: page)
      for row in page {
        _ = transactions[row.transaction]?.kind == .unmerge ? replay.unmerge(row) : replay.merge(row)
      }
    }
    return MergedCustomers(replay)
  }

  private func transactions(of page: [MergeRow]) throws(LedgerError) -> [TransactionNumber: TransactionRow] {
    try context.snapshot.transactions(page.map { RowAddress($0.transaction, of: $0.into) })
  }

  func run(_ freezes: inout FreezeReplay) throws(LedgerError) -> MergedCustomers {
    var replay = MergeReplay()
    try context.pages(after: .blank) { (page: [MergeRow]) throws(LedgerError) in
      let transactions = try transactions(of: page)
      for row in page {
        let transaction = transactions[row.transaction]
        let isUnmerge = transaction?.kind == .unmerge
        let fits = isUnmerge ? replay.unmerge(row) : replay.merge(row)
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
    return MergedCustomers(replay)
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
