extension Verb {
  /// The steps of a two-step purchase on their own.
  static let orderSteps = [orderOpen, orderCancel, orderReport]

  /// Verbs for the standing work.
  static let maintenance = [runMaintenance, deliveriesList, deliveriesUndelivered, deliveriesRetry]

  private static let orderOpen = Verb(
    name: "order open", group: .client, summary: "Announce a purchase before its payment, and pay nothing",
    arguments: [Argument(name: "PRODUCT", help: "The product's code, as \"gemctl offerings\" lists it")],
    options: [
      Option(name: "--quantity", value: "N", help: "How many units (default: 1)"), .key,
    ] + Option.orderContext,
    examples: ["gemctl order open gems_300 --key tap-1 --customer alice"],
    discussion: "As the app's own server does. \"gemctl buy PRODUCT --key KEY\" under the same key pays for it."
  ) { try OrderCommands(invocation: $0).open() }

  private static let orderCancel = Verb(
    name: "order cancel", group: .client, summary: "Give an order up",
    arguments: [.purchaseCode], examples: ["gemctl order cancel AP261121M2Q7"],
    discussion: """
      The order counts as failed from now on. One that was paid for stays as it is. A payment that comes all the same \
      is credited to its buyer, and the order succeeds.
      """
  ) { try OrderCommands(invocation: $0).cancel() }

  private static let orderReport = Verb(
    name: "order report", group: .client, summary: "List the orders that were announced and never paid",
    options: [
      Option(name: "--from", value: "TIME", help: "Those that failed at this instant or later (default: all)"),
      Option(name: "--until", value: "TIME", help: "Those that failed before this instant (default: now)"), .limit,
      .after,
    ],
    examples: ["gemctl order report --from 2026-11-01T00:00:00Z --until 2026-12-01T00:00:00Z"],
    discussion: "Of all customers, by the instant at which each failed: its deadline, or when it was given up."
  ) { try OrderCommands(invocation: $0).report() }

  private static let runMaintenance = Verb(
    name: "run", group: .run, summary: "Run the standing work until a signal ends it",
    options: [
      Option(name: "--every", value: "TIME", help: "The pause between two rounds, such as 30s or 5m (default: 60s)"),
      Option(name: "--once", help: "One round; exits with the status of a job that failed"), .deliver,
    ],
    examples: ["gemctl run", "gemctl run --every 5m --json", "gemctl run --once"],
    discussion: """
      A round books the due scheduled effects (expiries, ended holds, allowances, recharges), completes the currency \
      holds of orders, and tries the due deliveries. A job that fails is reported, stops no other, and is tried again \
      in the next round. Prints a line for each round in which something was done; with --json one for every round. \
      SIGINT and SIGTERM end it with exit status 0.
      """
  ) { try RunCommand(invocation: $0).run() }

  private static let deliveriesList = Verb(
    name: "deliveries list", group: .run, summary: "List the paid orders that wait for a game server",
    options: [.limit, .after], examples: ["gemctl deliveries list", "gemctl deliveries list --json"],
    discussion: "Those with a try left, with the number of tries so far and the instant of the next one."
  ) { try DeliveryCommands(invocation: $0).list() }

  private static let deliveriesUndelivered = Verb(
    name: "deliveries undelivered", group: .run, summary: "List the paid orders without a try left",
    options: [.limit, .after], examples: ["gemctl deliveries undelivered"],
    discussion: "They are credited. \"gemctl deliveries retry CODE\" delivers one when its game server works again."
  ) { try DeliveryCommands(invocation: $0).undelivered() }

  private static let deliveriesRetry = Verb(
    name: "deliveries retry", group: .run, summary: "Deliver again: what is due, or one order now",
    arguments: [
      Argument(name: "CODE", arity: .optional, help: "The order's purchase code; without it all that is due")
    ],
    options: [.deliver],
    examples: [
      "gemctl deliveries retry --deliver ./deliver.sh",
      "gemctl deliveries retry AP261121M2Q7 --deliver ./deliver.sh",
    ],
    discussion: "Exits with 3 where the named order is not confirmed."
  ) { try DeliveryCommands(invocation: $0).retry() }
}

extension Argument {
  fileprivate static let purchaseCode = Argument(
    name: "CODE", help: "The order's purchase code, as \"gemctl orders\" lists it")
}

extension Option {
  fileprivate static let deliver = Option(
    name: "--deliver", value: "COMMAND",
    help: "The shell command that delivers: JSON on its input, exit 0 confirms (default: GEMCTL_DELIVER)")
}
