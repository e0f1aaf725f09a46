extension Balance: WireValue {
  /// Reads RevenueCat's members and this project's additional members.
  package init(wire: WireObject) throws(LedgerError) {
    let held = try wire.optionalInteger("held") ?? 0
    let (whole, isTooMuch) = try wire.integer("balance").addingReportingOverflow(held)
    guard !isTooMuch else { throw .invalid("The sum of a balance and its held amount exceeds 64 bits.") }
    self.init(
      currency: try wire.currency("code"), name: try wire.text("name"),
      description: try wire.optionalText("description"), balance: whole, held: held,
      debt: try wire.optionalInteger("debt") ?? 0, version: try wire.optionalInteger("version") ?? 0)
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
      from: try wire.identifiers("from"), into: try wire.identifiers("into"), balances: try wire.values("balances"),
      items: try wire.values("items"))
  }

  package var wire: JSONValue {
    [
      "from": .array(from.map { .string($0.text) }), "into": .array(into.map { .string($0.text) }),
      "balances": balances.wire, "items": items.wire,
    ]
  }
}
