extension Verb {
  /// What explains and proves the books.
  static let insight =
    [customers, items, explain, statement, spends, consumed, withdrawable, unspent, flows, feed] + [
      verify, simulate, demo,
    ]

  private static let customers = Verb(
    name: "customers", group: .insight, summary: "List the customers with their balances",
    options: [.limit, .after, .csv],
    examples: ["gemctl customers", "gemctl customers --limit 1000 --json", "gemctl customers --csv > customers.csv"])

  private static let feed = Verb(
    name: "feed", group: .insight, summary: "List the transactions of all customers, oldest first",
    options: [
      .limit, .after,
      Option(name: "--follow", help: "Wait for more and print it as it comes, until interrupted or --limit is reached"),
    ],
    examples: [
      "gemctl feed --limit 1000 --json", "gemctl feed --after VHYxAgAAAQ", "gemctl feed --follow --json",
    ],
    discussion: """
      Keep the cursor that is printed: reading on behind it gives every later transaction once, also one that others \
      overtook while it was being booked. With --follow and --json each line is one event, and the last line of those \
      that came together has the cursor as "next". Balances that change by refunds, merges and expiries are events too.
      """)

  private static let verify = Verb(
    name: "verify", group: .insight, summary: "Prove from the journal that the books add up",
    examples: ["gemctl verify", "gemctl verify --json"],
    discussion: "Replays the journal and compares balances, lots and totals with it. Exits with 6 on any difference.")

  private static let simulate = Verb(
    name: "simulate", group: .insight, summary: "Shake client, store and ledger with random events and faults",
    options: [
      Option(
        name: "--seed", value: "N", help: "Where chance begins; the same seed gives the same events (default: drawn)"),
      Option(name: "--events", value: "N", help: "How many events (default: 10000)"),
    ],
    examples: ["gemctl simulate --seed 7 --events 100000"],
    discussion: """
      Everything happens in memory; the home is left alone. Exits with 6 where something paid for was not credited \
      once or the books do not add up, and prints the seed and the shortest failing prefix.
      """)

  private static let demo = Verb(
    name: "demo", group: .insight, summary: "Play a story of buying and spending, with its command lines",
    arguments: [Argument(name: "NAME", arity: .optional, help: "The story: gems or economy (default: gems)")],
    examples: ["gemctl demo", "gemctl demo economy"],
    discussion: "Plays in a home of its own, which is gone afterwards; yours is left alone.")
}
