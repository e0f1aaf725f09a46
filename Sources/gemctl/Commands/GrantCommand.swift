import GemLedger

/// `grant`: gives a customer currency.
struct GrantCommand {
  let invocation: Invocation

  func run() throws {
    let parsed = invocation.parsed
    let amounts = try invocation.amounts()
    let source = parsed.value("--source").flatMap(LotSource.init(name:)) ?? .admin
    let command = LedgerCommand.grant(
      amounts, customer: try invocation.customer(), key: try invocation.key(), source: source,
      expiresAt: try invocation.time("--expires"), details: try invocation.details())
    let booking = try invocation.book(command)
    let view = BookingView(booking, isDryRun: parsed.isDryRun)
    try invocation.print(view.json, { view.text(style: $0) })
  }
}
