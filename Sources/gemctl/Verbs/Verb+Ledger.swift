import GemLedger
import StoreBackend

extension Verb {
  /// Verbs that change balances without a store.
  static let ledger = [grant, spend] + economy + corrections + upkeep

  private static let grant = Verb(
    name: "grant", group: .ledger, summary: "Grant currency to a customer",
    arguments: [.amounts(.oneOrMore)],
    options: [
      Option("--reason", "TEXT", isRequired: true, help: "Reason for the journal"),
      Option("--expires", "TIME", help: "Time of expiry, for example 2026-12-31T23:59:59Z (default: never)"),
      .zone,
      Option(
        "--source", "SOURCE", kind: .oneOf(["earned", "promotional", "bonus", "admin"]),
        help: "Source of the currency: earned, promotional, bonus or admin (default: admin)"),
      .key, .reference, .dryRun,
    ],
    examples: [
      "gemctl grant GEM=100 --reason \"sorry for the outage\" --customer alice",
      "gemctl grant GEM=50 --reason gift --expires 2026-12-31T23:59:59Z",
    ],
    discussion: "All amounts are booked together or not at all. A missing customer is created."
  ) {
    let amounts = try $0.amounts()
    let customer = try $0.customer()
    try $0.checkMayBegin(customer)
    try $0.answer(
      .grant(
        amounts, customer: customer, key: try $0.key(), source: $0.lotSource, expiresAt: try $0.time("--expires"),
        details: try $0.details()))
  }

  private static let spend = Verb(
    name: "spend", group: .ledger, summary: "Spend a customer's currency, or buy an item with it",
    statedForms: ["CODE=AMOUNT... [OPTIONS]", "--item ID [--quantity N] [OPTIONS]"],
    arguments: [.amounts(.zeroOrMore)],
    options: [
      Option("--item", "ID", kind: .name(.items), help: "Buy this item at the catalog's price"),
      Option("--quantity", "N", help: "Number of items (default: 1)"),
      .key, .reference, .reason, .dryRun,
    ] + conditions,
    examples: ["gemctl spend GEM=50 --customer alice --key order-17", "gemctl spend --item extra_life --quantity 2"],
    discussion: """
      Takes amounts or an item, not both. All amounts are booked together or not at all, and no balance goes below \
      zero. The conditions are checked in the same step; if one does not hold, the verb fails with condition_failed.
      """
  ) { try SpendCommand(invocation: $0).run() }

  private static let conditions = [
    Option(
      "--expect-version", "CODE=N", isRepeatable: true,
      help: "Require this version of the account in this currency"),
    Option("--minimum", "CODE=N", isRepeatable: true, help: "Require a balance of at least N afterwards"),
    Option("--maximum", "CODE=N", isRepeatable: true, help: "Require a balance of at most N afterwards"),
  ]
}

extension Invocation {
  /// Makes sure that a new customer could sign in under the id.
  ///
  /// An app's server may have made a customer with another id, which can be granted currency too.
  fileprivate func checkMayBegin(_ customer: CustomerID) throws(LedgerError) {
    guard !UserID.isAllowed(customer) else { return }
    let isKnown = try withLedger { (ledger) in (try? ledger.customerIDs(of: customer)) != nil }
    if !isKnown { try UserID.check(customer) }
  }
}
