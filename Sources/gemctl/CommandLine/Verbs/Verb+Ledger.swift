extension Verb {
  /// Verbs that change balances without a store.
  static let ledger = [grant, spend] + economy + corrections + upkeep

  private static let grant = Verb(
    name: "grant", group: .ledger, summary: "Give a customer currency",
    arguments: [.amounts(.oneOrMore)],
    options: [
      Option(name: "--reason", value: "TEXT", isRequired: true, help: "Why; kept in the journal"),
      Option(
        name: "--expires", value: "TIME", help: "When what is left of it expires, such as 2026-12-31T23:59:59Z"),
      .zone,
      Option(
        name: "--source", value: "SOURCE", kind: .oneOf(["earned", "promotional", "bonus", "admin"]),
        help: "Where it comes from: earned, promotional, bonus or admin (default: admin)"),
      .key, .reference, .dryRun,
    ],
    examples: [
      "gemctl grant GEM=100 --reason \"sorry for the outage\" --customer alice",
      "gemctl grant GEM=50 --reason gift --expires 2026-12-31T23:59:59Z",
    ],
    discussion: "All amounts are booked together or not at all. Makes the customer where there is none yet."
  ) { try GrantCommand(invocation: $0).run() }

  private static let spend = Verb(
    name: "spend", group: .ledger, summary: "Spend a customer's currency, on an item or freely",
    statedForms: ["CODE=AMOUNT... [OPTIONS]", "--item ID [--quantity N] [OPTIONS]"],
    arguments: [.amounts(.zeroOrMore)],
    options: [
      Option(name: "--item", value: "ID", kind: .name(.items), help: "Buy this item at the catalog's price"),
      Option(name: "--quantity", value: "N", help: "How many of the item (default: 1)"),
      .key, .reference, .reason, .dryRun,
    ] + conditions,
    examples: [
      "gemctl spend GEM=50 --customer alice --key order-17",
      "gemctl spend --item extra_life --quantity 2",
      "gemctl spend GEM=50 --minimum GEM=100 --dry-run",
    ],
    discussion: """
      Nothing is ever spent below zero: all amounts are booked together or not at all. Give the amounts or an item, \
      not both.

      The conditions are checked in the same step as the spend; where one does not hold nothing is booked and the verb \
      fails with condition_failed.
      """
  ) { try SpendCommand(invocation: $0).run() }

  private static let conditions = [
    Option(
      name: "--expect-version", value: "CODE=N", isRepeatable: true,
      help: "Only if the account in this currency has this version"),
    Option(
      name: "--minimum", value: "CODE=N", isRepeatable: true, help: "Only if at least N is left afterwards"),
    Option(name: "--maximum", value: "CODE=N", isRepeatable: true, help: "Only if at most N is left afterwards"),
  ]
}
