extension Verb {
  static let items = Verb(
    name: "items", group: .insight, summary: "List what is sold for currency, or what it really cost",
    options: [
      Option(name: "--prices", help: "What sold items really cost: what was paid for the currency spent"),
      Option(name: "--from", value: "TIME", help: "With --prices: only what was sold from then on"),
      Option(name: "--until", value: "TIME", help: "With --prices: only what was sold before then"), .zone, .csv,
    ],
    examples: ["gemctl items", "gemctl items --prices --from 2026-11-01T00:00:00Z"],
    discussion: """
      The cost of a sale is the share of the lots' prices that was burnt for it; free currency costs nothing. Sandbox \
      and tests are told apart from production. A sale that is reversed takes its part away again.
      """
  ) { try ItemsCommand(invocation: $0).run() }

  static let explain = Verb(
    name: "explain", group: .insight, summary: "Show why a balance is what it is, down to the receipt",
    arguments: [Argument(name: "CODE", arity: .optional, help: "One currency (default: all)")],
    options: [.limit, .after, .csv],
    examples: ["gemctl explain GEM --customer alice", "gemctl explain --limit 20"],
    discussion: """
      First the lots that make up the balance, in the order in which they burn, and what is on hold; then what changed \
      it, newest first, each change with the lots that it fell on and the purchases that those came from.
      """
  ) { try ExplainCommand(invocation: $0).run() }

  static let statement = Verb(
    name: "statement", group: .insight, summary: "Show what happened to a customer's balances in a period",
    options: [
      Option(name: "--from", value: "TIME", help: "Where the period begins (default: with everything)"),
      Option(name: "--until", value: "TIME", help: "Where it ends, the instant not in it (default: now)"), .zone,
      .limit,
      .after, .csv,
    ],
    examples: ["gemctl statement --from 2026-11-01T00:00:00Z --customer alice", "gemctl statement --csv"],
    discussion: """
      Opening and closing balances are those of the period, also on further pages. What had expired at either end and \
      was booked later is not in them; it stands beside them, so that the lines add up.
      """
  ) { try StatementCommand(invocation: $0).run() }

  static let spends = Verb(
    name: "spends", group: .insight, summary: "List what a customer spent, newest first, and nothing else",
    options: [
      Option(name: "--since", value: "TIME", help: "Nothing before this instant"), .zone, .limit, .after, .csv,
    ],
    examples: ["gemctl spends --customer alice --since 2026-11-01T00:00:00Z"]
  ) { try RefundCommands(invocation: $0).spends() }

  static let consumed = Verb(
    name: "consumed", group: .insight, summary: "Show how much of a purchase is used up",
    arguments: [
      Argument(name: "PURCHASE", kind: .name(.purchases), help: "The store transaction's id, as \"buy\" printed it")
    ],
    options: [.csv],
    examples: ["gemctl consumed 2000000123456789", "gemctl consumed 2000000123456789 --json"],
    discussion: """
      What a store asks for when it decides about a refund: the consumed share (in --json in thousandths of a \
      percent), and whether the purchase was delivered. What is on hold is not consumed; what the purchase's own \
      refund took is told apart.
      """
  ) { try RefundCommands(invocation: $0).consumed() }

  static let withdrawable = Verb(
    name: "withdrawable", group: .insight, summary: "List purchases younger than 14 days that are not used up",
    options: [Option(name: "--at", value: "TIME", help: "As of this instant (default: now)"), .zone, .csv],
    examples: ["gemctl withdrawable", "gemctl withdrawable --customer alice", "gemctl withdrawable --csv"],
    discussion: """
      What is unused of it and what was paid for that: a bonus is not part of it. Without --customer those of all \
      customers.
      """
  ) { try RefundCommands(invocation: $0).withdrawable() }

  static let unspent = Verb(
    name: "unspent", group: .insight, summary: "Show what customers had not spent, and what it had cost",
    options: [
      Option(name: "--at", value: "TIME", help: "As of this instant, such as 2026-09-30T15:00:00Z (default: now)"),
      .zone,
      Option(name: "--by-customer", help: "A page of customers as of now, each with what is paid for and what is free"),
      .limit, .after, .csv,
    ],
    examples: [
      "gemctl unspent --at 2026-09-30T15:00:00Z", "gemctl unspent --by-customer --csv",
    ],
    discussion: """
      Paid units and their value by price currency, and free units; production, sandbox and test sessions apart. It \
      is computed from the journal, so that the figures of an instant stay the same whatever is booked later. What \
      had expired counts as gone; what was on hold counts as unspent.
      """
  ) { try UnspentCommand(invocation: $0).run() }

  static let flows = Verb(
    name: "flows", group: .insight, summary: "Show where currency came from and went, day by day",
    options: [
      Option(
        name: "--from", value: "TIME", isRequired: true, help: "The first day, such as 2026-11-01, or an instant"),
      Option(name: "--until", value: "TIME", isRequired: true, help: "The day or instant behind the last"),
      Option(name: "--zone", value: "NAME", help: "Whose days, such as Asia/Tokyo (default: UTC)"),
      Option(name: "--svg", value: "FILE", kind: .file, help: "Draw them into this file"), .csv,
    ],
    examples: [
      "gemctl flows --from 2026-11-01 --until 2026-12-01 --zone Europe/Berlin",
      "gemctl flows --from 2026-11-01 --until 2026-12-01 --svg flows.svg",
    ],
    discussion: """
      What moves between customers counts only as far as it does not come in elsewhere. Outstanding is what all \
      customers had at the end of the day less what they owed, as booked.
      """
  ) { try FlowsCommand(invocation: $0).run() }
}
