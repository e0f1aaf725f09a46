internal import GemLedger

/// Checks the stores' statements, and that the books follow them even if no refund was booked.
struct EvidenceCheck {
  private let context: VerifyContext

  init(_ context: VerifyContext) { self.context = context }

  func run() throws(LedgerError) {
    let environments = Set(try context.snapshot.environments().map(\.number))
    try context.pages { (page: [EvidenceRow]) throws(LedgerError) in
      for row in page where row.identity.environment >= EnvironmentRow.firstDrawnNumber {
        guard !environments.contains(row.identity.environment) else { continue }
        report("environments_are_known", row, "its environment number \(row.identity.environment) is missing")
      }
      try check(page)
    }
  }

  private func check(_ page: [EvidenceRow]) throws(LedgerError) {
    for row in page where !row.isWhole {
      report("evidence_is_whole", row, "its dates contradict its kind")
    }
    // Rows that state a refunded amount, or that a purchase is not credited.
    let concerned = page.filter { $0.kind == .refund || $0.held != nil }
    guard !concerned.isEmpty else { return }
    let keys = Set(concerned.map(\.identity))
    let purchases: [PurchaseRow] = try context.snapshot.rows(PurchaseRow.byIdentity, keys.map { IndexKey($0) })
    let credited = Dictionary(purchases.map { ($0.identity, $0) }) { first, _ in first }
    let known = try context.snapshot.evidence(of: keys.filter { credited[$0] != nil })
    for row in concerned {
      guard let purchase = credited[row.identity] else { continue }
      if let held = row.held, held.reason.isOpen, held.reason != .decision {
        report(
          "evidence_is_whole", row, "it is held for \(held.reason.name), and credited as purchase \(purchase.number)")
      }
      // Another check covers purchases with refunds.
      guard row.kind == .refund, purchase.refund == nil else { continue }
      let share = RefundRules.share(of: known[row.identity] ?? [], quantity: purchase.quantity)
      if share != .none {
        context.report(
          "refunds_follow_the_evidence",
          "the store refunded \(share.milliPercent) thousandths of a percent of purchase \(purchase.number); "
            + "nothing was clawed back")
      }
    }
  }

  private func report(_ equation: String, _ row: EvidenceRow, _ what: String) {
    context.report(
      equation, "a statement about store transaction \(row.identity.transactionID.text.prefix(60)) is damaged: \(what)")
  }
}
