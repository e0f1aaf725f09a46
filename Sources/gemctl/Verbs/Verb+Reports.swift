extension Verb {
  static let items = Verb(
    name: "items", group: .insight, summary: "List the items sold for currency, or their real cost",
    options: [
      Option("--prices", help: "Show the money paid for the currency that was spent on items"),
      Option("--from", "TIME", help: "With --prices: start of the sales (default: all)"),
      Option("--until", "TIME", help: "With --prices: end of the sales, exclusive (default: now)"),
      .zone, .csv,
    ],
    examples: ["gemctl items", "gemctl items --prices --from 2026-11-01T00:00:00Z"],
    discussion: """
      The cost of a sale is its share of the prices of the lots that it took from; free currency costs nothing. \
      Production, sandbox and test sessions are separate. Reversed sales are subtracted.
      """
  ) { try ItemsCommand(invocation: $0).run() }

  static let itemsTop = Verb(
    name: "items top", group: .insight, summary: "List the items with the highest sales",
    options: [
      Option("--from", "TIME", help: "Start of the sales: a day or an instant (default: all)"),
      Option("--until", "TIME", help: "End of the sales, exclusive (default: now)"), .zone, .limit,
      Option("--svg", "FILE", kind: .file, help: "Draw a chart of the items into this file"), .csv,
    ],
    examples: ["gemctl items top --limit 10", "gemctl items top --from 2026-11-01 --until 2026-12-01 --svg top.svg"],
    discussion: """
      The limit is for each currency of each environment. A sale belongs to the environment of the currency that paid \
      for it. Reversed sales are subtracted. Sales of several items at once are left out.
      """
  ) { try TopItemsCommand(invocation: $0).run() }

  static let explain = Verb(
    name: "explain", group: .insight, summary: "Explain a balance by its entries, lots and receipts",
    arguments: [Argument("CODE", arity: .optional, help: "Currency (default: all)")],
    options: [.limit, .after, .csv],
    examples: ["gemctl explain GEM --customer alice", "gemctl explain --limit 20"],
    discussion: """
      Shows the lots of the balance in the order of their use, the open holds, and the entries, newest first. Each \
      entry is shown with its lots and their purchases.
      """
  ) { try ExplainCommand(invocation: $0).run() }

  static let statement = Verb(
    name: "statement", group: .insight, summary: "Show the account statement of a period",
    options: [
      Option("--from", "TIME", help: "Start of the period (default: the first entry)"),
      Option("--until", "TIME", help: "End of the period, exclusive (default: now)"), .zone,
      .limit,
      .after, .csv,
    ],
    examples: ["gemctl statement --from 2026-11-01T00:00:00Z --customer alice", "gemctl statement --csv"],
    discussion: """
      Every page shows the opening and closing balances of the whole period. Currency that had expired at either end \
      and was booked later is listed separately, so that the lines add up.
      """
  ) { try StatementCommand(invocation: $0).run() }

  static let spends = Verb(
    name: "spends", group: .insight, summary: "List a customer's spends, newest first",
    options: [
      Option("--since", "TIME", help: "Earliest time of the spends (default: all)"), .zone, .limit, .after,
      .csv,
    ],
    examples: ["gemctl spends --customer alice --since 2026-11-01T00:00:00Z"]
  ) { try RefundCommands(invocation: $0).spends() }

  static let consumed = Verb(
    name: "consumed", group: .insight, summary: "Show the consumed share of a purchase",
    arguments: [Argument("PURCHASE", kind: .name(.purchases), help: "Store transaction id, from \"gemctl buy\"")],
    options: [.csv],
    examples: ["gemctl consumed 2000000123456789", "gemctl consumed 2000000123456789 --json"],
    discussion: """
      Shows the consumed share (with --json in thousandths of a percent) and the state of delivery, as a store asks \
      for them before a refund. Held currency is not consumed. The part taken by a refund is shown separately.
      """
  ) { try RefundCommands(invocation: $0).consumed() }

  static let withdrawable = Verb(
    name: "withdrawable", group: .insight, summary: "List purchases open to withdrawal within 14 days",
    options: [Option("--at", "TIME", help: "Time of the report (default: now)"), .zone, .csv],
    examples: ["gemctl withdrawable", "gemctl withdrawable --customer alice --csv"],
    discussion: """
      Shows the unused part of each purchase and the price of that part, without bonus currency. Without --customer \
      it covers all customers.
      """
  ) { try RefundCommands(invocation: $0).withdrawable() }

  static let unspent = Verb(
    name: "unspent", group: .insight, summary: "Show the unspent currency and its value",
    options: [
      Option("--at", "TIME", help: "Time of the report, for example 2026-09-30T15:00:00Z (default: now)"),
      .zone,
      Option("--by-customer", help: "List the current paid and free currency by customer"),
      .limit, .after, .csv,
    ],
    examples: ["gemctl unspent --at 2026-09-30T15:00:00Z", "gemctl unspent --by-customer --csv"],
    discussion: """
      Shows paid units with their value by price currency, and free units; production, sandbox and test sessions are \
      separate. Expired currency is not counted; held currency counts as unspent. Later bookings do not affect the \
      report of an instant.
      """
  ) { try UnspentCommand(invocation: $0).run() }

  static let cohorts = Verb(
    name: "cohorts", group: .insight, summary: "Show how many buyers come back to spend",
    options: [
      Option("--from", "TIME", isRequired: true, help: "Start: a day, for example 2026-01-01, or an instant"),
      Option("--until", "TIME", help: "End, exclusive: a day or an instant (default: now)"),
      Option("--by", "SPAN", kind: .oneOf(["day", "week", "month"]), help: "Length of the periods (default: month)"),
      .zone, Option("--svg", "FILE", kind: .file, help: "Draw a chart of the cohorts into this file"), .csv,
    ],
    examples: [
      "gemctl cohorts --from 2026-01-01", "gemctl cohorts --from 2026-11-01 --by week --zone Europe/Berlin --svg c.svg",
    ],
    discussion: """
      A cohort has the customers whose first purchase was in one period. The table shows the prices of these \
      purchases, the customers that spent currency afterwards, the median time to the first spend, and the share of \
      spenders in each period, from the cohort's period on. With --json and --csv it also has the spent amounts. Free \
      purchases do not count. Production, sandbox and test sessions have separate cohorts, with spends of their \
      currency only.
      """
  ) { try CohortsCommand(invocation: $0).run() }

  static let flows = Verb(
    name: "flows", group: .insight, summary: "Show the daily flows of currency",
    options: [
      Option("--from", "TIME", isRequired: true, help: "Start: a day, for example 2026-11-01, or an instant"),
      Option("--until", "TIME", isRequired: true, help: "End, exclusive: a day or an instant"),
      Option("--zone", "NAME", help: "Time zone of the days, for example Asia/Tokyo (default: UTC)"),
      Option("--svg", "FILE", kind: .file, help: "Draw a chart of the flows into this file"), .csv,
    ],
    examples: [
      "gemctl flows --from 2026-11-01 --until 2026-12-01 --zone Europe/Berlin",
      "gemctl flows --from 2026-11-01 --until 2026-12-01 --svg flows.svg",
    ],
    discussion: """
      Currency that moves between customers counts only as far as no other customer receives it. Outstanding is the \
      sum of all balances less all debts at the end of the day, as booked.
      """
  ) { try FlowsCommand(invocation: $0).run() }
}
