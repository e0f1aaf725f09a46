internal import GemLedger

/// Checks that every refund took the due amount or records its outcome.
struct RefundCheck {
  private let context: VerifyContext
  private let merges: MergedCustomers

  init(_ context: VerifyContext, _ merges: MergedCustomers) {
    self.context = context
    self.merges = merges
  }

  /// - Parameters:
  ///   - journal: The counts of the journal's transactions.
  ///   - reclaimCount: The number of transactions that record taking amounts returned to refunded purchases.
  ///   - freezes: Receives the freezes that refunds made and ended.
  func run(
    _ journal: JournalTally, reclaimCount: Int64, _ freezes: inout FreezeReplay
  ) throws(LedgerError) {
    var refundsOfStates: Int64 = 0
    var partsOfStates: Int64 = 0
    try context.pages(after: .blank) { (page: [RefundStateRow]) throws(LedgerError) in
      let rows = try RefundPage(page, snapshot: context.snapshot, merges)
      for state in page {
        refundsOfStates += Int64(rows.refunds(of: state).count)
        partsOfStates += check(state, rows)
      }
    }
    let (refunds, parts) = try countRefunds(reclaimCount: reclaimCount, &freezes)
    if refunds != journal.refunds || refunds != refundsOfStates || parts != partsOfStates {
      context.report(
        "refunds_are_complete",
        "the journal has \(journal.refunds) refunds and reversals; there are \(refunds) rows of them and "
          + "\(refundsOfStates) belong to purchases, with \(parts) and \(partsOfStates) parts")
    }
  }

  private func countRefunds(
    reclaimCount: Int64, _ freezes: inout FreezeReplay
  ) throws(LedgerError) -> (refunds: Int64, parts: Int64) {
    var refunds: Int64 = 0
    var reclaims: Int64 = 0
    try context.pages(after: .blank) { (page: [RefundRow]) throws(LedgerError) in
      let freezing = page.filter { $0.freezes != 0 }
      let transactions = try context.snapshot.transactions(freezing.map { RowAddress($0.transaction, of: nil) })
      for row in freezing {
        let customer = transactions[row.transaction]?.customer ?? 0
        freezes.add(FreezeEvent(transaction: row.transaction, customer: customer, kind: .byRefund(row.freezes)))
      }
      refunds += Int64(page.count)
      reclaims += Int64(page.count { $0.kind == .reclaim })
    }
    if reclaims != reclaimCount {
      context.report(
        "effects_are_complete",
        "\(reclaims) refunds took amounts returned to purchases; \(reclaimCount) transactions record it")
    }
    var parts: Int64 = 0
    try context.pages { (page: [RefundPartRow]) in parts += Int64(page.count) }
    return (refunds, parts)
  }

  /// - Returns: The number of parts of its refunds.
  private func check(_ state: RefundStateRow, _ rows: RefundPage) -> Int64 {
    guard let purchase = rows.purchase(of: state), let credit = rows.credit(of: purchase) else {
      context.report("purchases_know_their_refunds", "purchase \(state.purchase), which was refunded, is missing")
      return 0
    }
    let (evidence, refunds) = (rows.evidence(of: purchase), rows.refunds(of: state))
    // Later notices without an effect are newer than the evidence of the newest refund.
    let dates = (refunds.last?.signedAt.milliseconds ?? 0, RefundRules.newest(evidence).milliseconds)
    if RefundRules.share(of: evidence, quantity: purchase.quantity) != state.share
      || state.evidenceAt.milliseconds < dates.0 || state.evidenceAt.milliseconds > dates.1
    {
      context.report(
        "refunds_follow_the_evidence",
        "\(state.share.milliPercent) thousandths of a percent of purchase \(state.purchase) are clawed back by "
          + "evidence of \(state.evidenceAt.milliseconds); the store's notices differ")
    }
    let granted = RefundChange.granted(by: credit, definitions: context.definitions)
    var count: Int64 = 0
    var before = RefundShare.none
    for refund in refunds {
      count += Int64(rows.parts(of: refund).count)
      check(refund, rows, of: purchase, granted, before: before)
      before = refund.share
    }
    return count
  }

  private func check(
    _ refund: RefundRow, _ rows: RefundPage, of purchase: PurchaseRow, _ granted: [RefundChange.Granted],
    before: RefundShare
  ) {
    let kind: EntryKind = before <= refund.share ? .refund : .reversedRefund
    let transaction = rows.transaction(of: refund)
    let (debited, owner) = (transaction?.customer ?? 0, purchase.customer)
    if transaction?.kind != kind || merges.survivor(of: debited) != merges.survivor(of: owner) {
      context.report(
        "refunds_have_transactions",
        "a refund of purchase \(purchase.number) names transaction \(refund.transaction), which is missing, another "
          + "customer's or no \(kind.name)")
    }
    let (entries, parts) = (rows.entries(of: refund), rows.parts(of: refund))
    for currency in granted {
      let due = zip(currency.due(refund.share), currency.due(before)).map { $0 - $1 }
      var booked = Int128(0)
      for (lot, due) in zip(currency.lots, due) {
        let own = parts.filter { $0.lot == lot.lot && $0.kind != .repaid }
        let sum = own.reduce(Int128(0)) { $0 + Int128($1.amount) }
        booked -= own.filter { $0.kind != .short && $0.kind != .expired }.reduce(0) { $0 + Int128($1.amount) }
        if sum != Int128(due) {
          context.report(
            "refunds_are_due", currency: currency.currency.number,
            "transaction \(refund.transaction) took, waived and made debts of \(sum) for lot \(lot.lot); \(due) was due"
          )
        }
      }
      let amount = entries.filter { $0.account.currency == currency.currency.number }.reduce(0) {
        $0 + Int128($1.amount)
      }
      if amount != booked {
        context.report(
          "refunds_book_their_parts", currency: currency.currency.number,
          "the entry of transaction \(refund.transaction) is \(amount); its parts add up to \(booked)")
      }
    }
    if kind == .refund { checkSources(parts, entries, rows) }
  }

  /// Checks that the amounts that a refund records for a lot equal its allocations on the lot.
  private func checkSources(_ parts: [RefundPartRow], _ entries: [EntryRow], _ rows: RefundPage) {
    var taken: [LotNumber: Int128] = [:]
    for part in parts where part.kind == .taken { taken[part.source, default: 0] -= Int128(part.amount) }
    for entry in entries {
      for (lot, amount) in rows.allocations(of: entry) { taken[lot, default: 0] -= Int128(amount) }
    }
    for (lot, rest) in taken.inKeyOrder where rest != 0 {
      context.report(
        "refunds_book_their_parts",
        "transaction \(parts.first?.transaction ?? 0) differs by \(rest) from its parts in lot \(lot)")
    }
  }
}
