import GemLedger

/// `spend`: amounts freely, or an item at the catalog's price.
struct SpendCommand {
  let invocation: Invocation

  func run() throws {
    let booking = try invocation.book(try asked())
    let view = BookingView(booking, isDryRun: invocation.parsed.isDryRun)
    try invocation.print(view.json, { view.text(style: $0) })
  }

  private func asked() throws -> LedgerCommand {
    let parsed = invocation.parsed
    let quantity = try invocation.quantity()
    guard let item = parsed.value("--item") else {
      guard quantity == nil else { throw UsageError("--quantity goes with --item", verb: parsed.verb) }
      guard !parsed.positionals.isEmpty else {
        throw UsageError("\"spend\" needs CODE=AMOUNT or --item ID", verb: parsed.verb)
      }
      let amounts = try invocation.amounts()
      return try .spend(
        amounts, customer: try invocation.customer(), key: try invocation.key(), details: try details())
    }
    guard parsed.positionals.isEmpty else {
      throw UsageError("\"spend\" takes amounts or --item, not both: an item has its price", verb: parsed.verb)
    }
    return .buyItem(
      try ItemID(item), quantity: quantity ?? 1, customer: try invocation.customer(), key: try invocation.key(),
      details: try details())
  }

  private func details() throws(LedgerError) -> CommandDetails {
    var details = try invocation.details()
    let parsed = invocation.parsed
    let versions = try AmountArguments.conditions(parsed.values("--expect-version"))
    let minimums = try AmountArguments.conditions(parsed.values("--minimum"))
    let maximums = try AmountArguments.conditions(parsed.values("--maximum"))
    details.conditions =
      versions.map { .version($0.0, $0.1) } + minimums.map { .minimum($0.0, $0.1) }
      + maximums.map { .maximum($0.0, $0.1) }
    return details
  }
}
