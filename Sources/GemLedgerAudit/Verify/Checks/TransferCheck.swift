internal import GemLedger

/// Checks that the amounts moved between customers of one basket add up to 0 for each currency.
struct TransferCheck {
  private let context: VerifyContext

  init(_ context: VerifyContext) { self.context = context }

  func check(_ page: JournalEventPage) throws(LedgerError) {
    var baskets: [[JournalEventRow]] = []
    for group in page.groups {
      let links = group.filter { $0.kind == .linked }
      guard let first = links.first, let kind = page.transaction(first.transaction)?.kind else { continue }
      if kind == .transfer || kind == .mixed, isFirstSide(links, page) { baskets.append(links) }
    }
    guard !baskets.isEmpty else { return }
    var addresses: Set<RowAddress> = []
    for link in baskets.joined() {
      addresses.insert(RowAddress(link.transaction, of: link.customer))
      addresses.insert(RowAddress(link.target, of: link.value))
    }
    let entries = try context.snapshot.entries(of: Array(addresses))
    for links in baskets {
      guard let first = links.first else { continue }
      let sides = [first.transaction] + links.map(\.target)
      for (currency, sum) in sides.flatMap({ entries[$0] ?? [] }).sums(of: .transfer) where sum != 0 {
        context.report(
          "transfers_cancel_out", currency: currency,
          "the amounts of transaction \(first.transaction) and linked transactions add up to \(sum), not to 0")
      }
    }
  }

  /// Whether the side is linked to all others, and they to it alone: true for the payer's side, which is booked first.
  private func isFirstSide(_ links: [JournalEventRow], _ page: JournalEventPage) -> Bool {
    links.allSatisfy { link in
      link.target > link.transaction
        && page.sides(of: link).allSatisfy { $0.kind != .linked || $0.target == link.transaction }
    }
  }
}
