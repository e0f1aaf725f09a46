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
    try checkID(customer)
    let command = LedgerCommand.grant(
      amounts, customer: customer, key: try invocation.key(), source: source,
      expiresAt: try invocation.time("--expires"), details: try invocation.details())
    let booking = try invocation.book(command)
    let view = BookingView(booking, isDryRun: parsed.isDryRun)
    try invocation.print(view.json, { view.text(style: $0) })
  }

  /// Refuses the ids that a login refuses, such as those that no path of the server can have.
  ///
  /// A grant makes its customer; a customer that has such an id from before is granted to.
  private func checkID(_ customer: CustomerID) throws(LedgerError) {
    guard !UserID.isAllowed(customer) else { return }
    do throws(LedgerError) {
      _ = try invocation.withLedger { (ledger) throws(LedgerError) in try ledger.customerIDs(of: customer) }
    } catch {
      guard error.code == .customerNotFound else { throw error }
      try UserID.check(customer)
    }
  }
}
