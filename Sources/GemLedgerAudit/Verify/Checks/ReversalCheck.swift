internal import GemLedger

/// Checks that reversals and reclaims refer to transactions that allow them.
struct ReversalCheck {
  private let context: VerifyContext
  private let merges: MergedCustomers

  init(_ context: VerifyContext, _ merges: MergedCustomers) {
    self.context = context
    self.merges = merges
  }

  /// Checks all reversals of a transaction, once, with the first of them.
  func check(_ event: JournalEventRow, _ page: JournalEventPage) {
    checkTarget(event, page)
    let reversals = page.reversals(of: event.target)
    guard reversals.first == event else { return }
    var left: [Int64: Int128] = [:]
    for entry in page.entries(of: event.target) { left[entry.account.currency, default: 0] -= Int128(entry.amount) }
    for entry in reversals.flatMap({ page.entries(of: $0.transaction) }) {
      left[entry.account.currency, default: 0] -= Int128(entry.amount)
    }
    for (currency, left) in left.inKeyOrder where left < 0 {
      context.report(
        "reversals_are_covered", currency: currency,
        "the reversals of transaction \(event.target) give back \(-left) more than it took")
    }
    // Amounts of merged customers may have returned to other lots.
    guard !merges.isInvolved(event.customer) else { return }
    var lots: [LotNumber: Int128] = [:]
    for part in page.parts(of: event.target) { lots[part.lot, default: 0] -= Int128(part.amount) }
    for part in reversals.flatMap({ page.parts(of: $0.transaction) }) where part.amount > 0 {
      lots[part.lot, default: 0] -= Int128(part.amount)
    }
    for (lot, left) in lots.inKeyOrder where left < 0 {
      context.report(
        "reversals_are_covered",
        "the reversals of transaction \(event.target) put back \(-left) more into lot \(lot) than it took")
    }
  }

  /// Checks that the event refers to an earlier transaction of its customer that allows it.
  func checkTarget(_ event: JournalEventRow, _ page: JournalEventPage) {
    let target = page.transaction(event.target)
    let fits =
      switch target?.kind {
      case .spend, .capture: event.kind == .reversal || target?.kind == .capture
      case .reversal, .release: event.kind != .reversal
      // These also return amounts of a refunded purchase.
      case .exchange, .transfer, .mixed, .merge: event.kind == .reclaimed
      default: false
      }
    guard fits, let target, target.number < event.transaction,
      merges.survivor(of: target.customer) == merges.survivor(of: event.customer)
    else {
      context.report(
        "effects_have_transactions",
        "transaction \(event.transaction) refers to transaction \(event.target), which is missing, another "
          + "customer's or of an unsuitable kind")
      return
    }
  }
}
