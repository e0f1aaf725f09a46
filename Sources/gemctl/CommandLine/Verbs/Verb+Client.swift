extension Verb {
  /// What an app does for its customer.
  static let client = [buy, balance, history]

  private static let buy = Verb(
    name: "buy", group: .client, summary: "Buy a product at the simulated store and credit it",
    arguments: [Argument(name: "PRODUCT", help: "The product's code, as \"gemctl offerings\" lists it")],
    options: [Option(name: "--quantity", value: "N", help: "How many units (default: 1)"), .key],
    examples: ["gemctl buy gems_1200", "gemctl buy gems_300 --quantity 2 --customer alice --json"],
    discussion: """
      The purchase is credited exactly once, however often it is delivered. Exits with 3 where the purchase did not \
      complete; what became of it is on standard output.
      """)

  private static let balance = Verb(
    name: "balance", group: .client, summary: "Show a customer's balances",
    arguments: [Argument(name: "CODE", arity: .optional, help: "One currency (default: all)")],
    options: [
      Option(name: "--at", value: "TIME", help: "As of this instant, such as 2026-11-21T09:30:00Z"),
      Option(name: "--at-version", value: "N", help: "As of this version of the account"),
    ],
    examples: ["gemctl balance", "gemctl balance GEM --customer alice", "gemctl balance --at 2026-11-21T09:30:00Z"])

  private static let history = Verb(
    name: "history", group: .client, summary: "Show a customer's transactions, newest first",
    options: [.limit, .after],
    examples: ["gemctl history", "gemctl history --limit 20 --customer alice"])
}
