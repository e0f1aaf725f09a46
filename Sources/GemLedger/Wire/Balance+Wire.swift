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
  package static let form = JSONForm<Balance>([
    .always("balance", \.available, .integer(), "The spendable amount."), .always("code", \.currency, .currency),
    .always("name", \.name, .text()), .always("description", \.description, .nullable(.text())),
    .always("held", \.held, .integer(), "The amount on hold."), .always("debt", \.debt, .integer()),
    .always("version", \.version, .integer(), "The number of entries of the account."),
    // Only the server writes it.
    .sometimes(
      "exact_balance", { _ in nil }, .integer(),
      "The balance without the 32-bit limit of RevenueCat's SDK for Android; only if \"balance\" is limited."),
  ])
}

extension MergePreview: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      from: try wire["from"].identifiers(), into: try wire["into"].identifiers(),
      balances: try wire["balances"].values(),
      items: try wire["items"].values())
  }

  package static let form = JSONForm<MergePreview>([
    .always("from", \.from, .list(.identifier())), .always("into", \.into, .list(.identifier())),
    .always("balances", \.balances, .list(.value)), .always("items", \.items, .list(.value)),
  ])
}
