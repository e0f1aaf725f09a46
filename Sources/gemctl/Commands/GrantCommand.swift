import GemLedger
import StoreBackend

/// `grant`: gives a customer currency.
struct GrantCommand {
  let invocation: Invocation

  func run() throws {
    let parsed = invocation.parsed
    let amounts = try invocation.amounts()
    let source = parsed.value("--source").flatMap(LotSource.init(name:)) ?? .admin
    let customer = try invocation.customer()
    try checkMayBegin(customer)
    try invocation.answer(
      .grant(
        amounts, customer: customer, key: try invocation.key(), source: source,
        expiresAt: try invocation.time("--expires"), details: try invocation.details()))
  }

  /// Makes sure that a new customer could sign in under the id.
  ///
  /// An app's server may have made a customer with another id, which can be granted currency too.
  private func checkMayBegin(_ customer: CustomerID) throws(LedgerError) {
    guard !UserID.isAllowed(customer) else { return }
    let isKnown = try invocation.withLedger { (ledger) in (try? ledger.customerIDs(of: customer)) != nil }
    if !isKnown { try UserID.check(customer) }
  }
}
