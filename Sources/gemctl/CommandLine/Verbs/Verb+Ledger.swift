extension Verb {
  /// Verbs that change balances without a store.
  static let ledger = [grant, spend] + economy + [merge, unmerge, freeze, unfreeze] + upkeep

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

  private static let merge = Verb(
    name: "merge", group: .ledger, summary: "Make two customers one",
    options: [
      Option(
        name: "--from", value: "ID", kind: .name(.customers), isRequired: true,
        help: "The customer that ends; the id goes on to work"),
      Option(name: "--into", value: "ID", kind: .name(.customers), isRequired: true, help: "The customer that stays"),
      .key, .reference, .reason, .dryRun,
    ],
    examples: ["gemctl merge --from guest-17 --into alice --key merge-17"],
    discussion: "Balances, lots, purchases, items and debts move in one transaction; both ids name the one customer."
  ) { try CorrectionCommands(invocation: $0).merge() }

  private static let unmerge = Verb(
    name: "unmerge", group: .ledger, summary: "Part two customers that a merge made one",
    arguments: [Argument(name: "ID", kind: .name(.customers), help: "An id that the merged customer brought along")],
    options: [
      Option(
        name: "--from", value: "ID", kind: .name(.customers),
        help: "The customer that it must be part of (default: whichever)"),
      .key, .reference, .reason, .dryRun,
    ],
    examples: ["gemctl unmerge guest-17 --dry-run", "gemctl unmerge guest-17 --from alice --reason \"wrong account\""],
    discussion: """
      Ids, purchases and history of the merged customer are its own again, and so is what is left of the lots, debts \
      and items that the merge moved. The table shows what is not there any more; the survivor gives nothing else for \
      it. \
      Undo later merges first, and end holds on moved currency.
      """
  ) { try CorrectionCommands(invocation: $0).unmerge() }

  private static let freeze = Verb(
    name: "freeze", group: .ledger, summary: "Stop a customer from spending",
    options: [Option(name: "--reason", value: "TEXT", isRequired: true, help: "Why; kept in the journal")] + rest,
    examples: ["gemctl freeze --customer mallory --reason chargebacks"],
    discussion: "Purchases are still credited, refunds still take, and what is on hold can still be captured."
  ) { try CorrectionCommands(invocation: $0).freeze() }

  private static let unfreeze = Verb(
    name: "unfreeze", group: .ledger, summary: "Let a frozen customer spend again",
    options: [Option(name: "--reason", value: "TEXT", isRequired: true, help: "Why; kept in the journal")] + rest,
    examples: ["gemctl unfreeze --customer mallory --reason resolved"]
  ) { try CorrectionCommands(invocation: $0).unfreeze() }

  private static let rest: [Option] = [.key, .reference, .dryRun]

  private static let conditions = [
    Option(
      name: "--expect-version", value: "CODE=N", isRepeatable: true,
      help: "Only if the account in this currency has this version"),
    Option(
      name: "--minimum", value: "CODE=N", isRepeatable: true, help: "Only if at least N is left afterwards"),
    Option(name: "--maximum", value: "CODE=N", isRepeatable: true, help: "Only if at most N is left afterwards"),
  ]
}
