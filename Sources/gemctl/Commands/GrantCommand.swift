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
    let command = LedgerCommand.grant(
      amounts, customer: customer, key: try invocation.key(), source: source,
      expiresAt: try invocation.time("--expires"), details: try invocation.details())
    let booking = try invocation.book(command)
    let view = BookingView(booking, isDryRun: parsed.isDryRun)
    try invocation.print(view.json, { view.text(style: $0) })
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
