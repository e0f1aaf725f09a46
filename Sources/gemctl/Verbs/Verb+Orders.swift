extension Verb {
  /// The separate steps of a two-step purchase.
  static let orderSteps = [orderOpen, orderCancel, orderReport]

  /// Verbs for scheduled effects and deliveries.
  static let maintenance = [runMaintenance, deliveriesList, deliveriesUndelivered, deliveriesRetry]

  private static let orderOpen = Verb(
    name: "order open", group: .client, summary: "Open an order: announce a purchase without paying",
    arguments: [Argument("PRODUCT", help: "Product code, from \"gemctl offerings\"")],
    options: [Option("--quantity", "N", help: "Number of units (default: 1)"), .key] + Option.orderContext,
    examples: ["gemctl order open gems_300 --key tap-1 --customer alice"],
    discussion: "\"gemctl buy PRODUCT --key KEY\" with the same key pays for it."
  ) { try OrderCommands(invocation: $0).open() }

  private static let orderCancel = Verb(
    name: "order cancel", group: .client, summary: "Cancel an order",
    arguments: [.purchaseCode], examples: ["gemctl order cancel AP261121M2Q7"],
    discussion: """
      The order fails; a paid order does not change. If a payment still arrives, it is credited to its buyer and the \
      order succeeds.
      """
  ) { try OrderCommands(invocation: $0).cancel() }

  private static let orderReport = Verb(
    name: "order report", group: .client, summary: "List the orders that were never paid",
    options: [
      Option("--from", "TIME", help: "Only orders that failed at this time or later (default: all)"),
      Option("--until", "TIME", help: "Only orders that failed before this time (default: now)"), .limit,
      .after,
    ],
    examples: ["gemctl order report --from 2026-11-01T00:00:00Z --until 2026-12-01T00:00:00Z"],
    discussion: "Covers all customers, in order of failure: the deadline or the cancellation of the order."
  ) { try OrderCommands(invocation: $0).report() }

  private static let runMaintenance = Verb(
    name: "run", group: .run, summary: "Run scheduled effects and deliveries until a signal",
    options: [
      Option("--every", "TIME", help: "Pause between two rounds, for example 30s or 5m (default: 60s)"),
      Option("--once", help: "Run one round and exit with the status of a failed job"), .deliver,
    ],
    examples: ["gemctl run --every 5m --json", "gemctl run --once"],
    discussion: """
      A round books the due scheduled effects (expiries, ended holds, allowances, recharges), completes the currency \
      holds of orders, and tries the due deliveries. A failed job is reported and retried in the next round; it does \
      not stop the others. The verb prints one line per round with work, with --json per round. It ends on SIGINT or \
      SIGTERM with exit status 0.
      """
  ) { try RunCommand(invocation: $0).run() }

  private static let deliveriesList = Verb(
    name: "deliveries list", group: .run, summary: "List the paid orders that wait for delivery",
    options: [.limit, .after], examples: ["gemctl deliveries list", "gemctl deliveries list --json"],
    discussion: "Shows the number of past tries and the time of the next try. Orders without a try left are omitted."
  ) { try DeliveryCommands(invocation: $0).list() }

  private static let deliveriesUndelivered = Verb(
    name: "deliveries undelivered", group: .run, summary: "List the paid orders without a try left",
    options: [.limit, .after], examples: ["gemctl deliveries undelivered"],
    discussion: "The orders are credited. \"gemctl deliveries retry CODE\" delivers an order again."
  ) { try DeliveryCommands(invocation: $0).undelivered() }

  private static let deliveriesRetry = Verb(
    name: "deliveries retry", group: .run, summary: "Deliver the due orders, or one order now",
    arguments: [Argument("CODE", arity: .optional, help: "Purchase code of the order (default: all due orders)")],
    options: [.deliver],
    examples: [
      "gemctl deliveries retry --deliver ./deliver.sh",
      "gemctl deliveries retry AP261121M2Q7 --deliver ./deliver.sh",
    ],
    discussion: "Exits with 3 if the order CODE is not confirmed."
  ) { try DeliveryCommands(invocation: $0).retry() }
}

extension Argument {
  fileprivate static let purchaseCode = Argument("CODE", help: "Purchase code of the order, from \"gemctl orders\"")
}

extension Option {
  fileprivate static let deliver = Option(
    "--deliver", "COMMAND",
    help: "Shell command that gets JSON on its input and confirms with exit 0 (default: GEMCTL_DELIVER)")
}
