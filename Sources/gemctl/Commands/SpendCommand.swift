import GemLedger

/// `spend`: amounts freely, or an item at the catalog's price.
struct SpendCommand {
  let invocation: Invocation

  func run() throws {
    try invocation.answer(try asked())
  }

  private func asked() throws -> LedgerCommand {
    let parsed = invocation.parsed
    let quantity = try invocation.quantity()
    guard let item = parsed.value("--item") else {
      try parsed.check("--quantity", goWith: "--item")
      guard !parsed.positionals.isEmpty else {
        throw invocation.usageError("\"spend\" needs CODE=AMOUNT or --item ID")
      }
      let amounts = try invocation.amounts()
      return try .spend(
        amounts, customer: try invocation.customer(), key: try invocation.key(), details: try details())
    }
    guard parsed.positionals.isEmpty else {
      throw invocation.usageError("\"spend\" takes amounts or --item, not both: an item has its price")
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
