extension Balance: WireValue {
  /// Reads RevenueCat's members and this project's additional members.
  package init(wire: WireObject) throws(LedgerError) {
    let held = try wire["held"].optional?.integer() ?? 0
    let (whole, isTooMuch) = try wire["balance"].integer().addingReportingOverflow(held)
    guard !isTooMuch else { throw .invalid("The sum of a balance and its held amount exceeds 64 bits.") }
    self.init(
      currency: try wire["code"].currency(), name: try wire["name"].text(),
      description: try wire["description"].optional?.text(), balance: whole, held: held,
      debt: try wire["debt"].optional?.integer() ?? 0, version: try wire["version"].optional?.integer() ?? 0)
  }

  /// RevenueCat's members, with `balance` as the spendable amount, and also `held`, `debt` and `version`.
  package var wire: JSONValue {
    [
      "balance": .integer(available), "code": .string(currency.description), "name": .string(name),
      "description": JSONValue(description), "held": .integer(held), "debt": .integer(debt),
      "version": .integer(version),
    ]
  }
}

extension MergePreview: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      from: try wire["from"].identifiers(), into: try wire["into"].identifiers(),
      balances: try wire["balances"].values(),
      items: try wire["items"].values())
  }

  package var wire: JSONValue {
    [
      "from": .array(from.map { .string($0.text) }), "into": .array(into.map { .string($0.text) }),
      "balances": balances.wire, "items": items.wire,
    ]
  }
}
