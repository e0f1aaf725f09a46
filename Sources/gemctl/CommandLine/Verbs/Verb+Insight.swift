extension Verb {
  /// What explains and proves the books.
  static let insight = [customers, verify, demo]

  private static let customers = Verb(
    name: "customers", group: .insight, summary: "List the customers with their balances",
    options: [.limit, .after],
    examples: ["gemctl customers", "gemctl customers --limit 1000 --json"])

  private static let verify = Verb(
    name: "verify", group: .insight, summary: "Prove from the journal that the books add up",
    examples: ["gemctl verify", "gemctl verify --json"],
    discussion: "Replays the journal and compares balances, lots and totals with it. Exits with 6 on any difference.")

  private static let demo = Verb(
    name: "demo", group: .insight, summary: "Play a story of buying and spending, with its command lines",
    arguments: [Argument(name: "NAME", arity: .optional, help: "The story (default: gems)")],
    examples: ["gemctl demo", "gemctl demo gems"],
    discussion: "Plays in a home of its own, which is gone afterwards; yours is left alone.")
}
