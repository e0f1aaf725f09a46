import GemLedger
import StoreBackend

extension Verb {
  /// The actions of an app for its customer.
  static let client = [
    buy, balance, history, login, identify, logout, reset, whoami, alias, restore, entitlements, orders, sync,
    queueList, queueDrain,
    queueRequeue, queue,
  ]

  private static let buy = Verb(
    name: "buy", group: .client, summary: "Buy a product at the simulated store and credit it",
    arguments: [Argument("PRODUCT", kind: .name(.products), help: "Product code, from \"gemctl offerings\"")],
    options: [
      Option("--quantity", "N", help: "Number of units, 1 to 10, at Google Play 1 to 99 (default: 1)"),
      Option("--key", "KEY", help: "Place an order with this idempotency key; it is paid for at most once"),
    ] + Option.orderContext + [
      Option("--fail", help: "Make the store fail before the payment"),
      Option("--cancel", help: "Cancel at the payment sheet"),
      Option("--ask-to-buy", help: "Require approval first; see \"gemctl approve\""),
      Option("--offline", help: "Make the backend unreachable: the paid purchase waits in the queue"),
      Option(
        "--crash-after", "STEP", kind: .oneOf(["paid", "queued", "credited", "finished"]),
        help: "Kill the process right after this step: paid, queued, credited or finished"),
    ],
    examples: ["gemctl buy gems_300 --quantity 2 --customer alice --json", "gemctl buy gems_300 --crash-after paid"],
    discussion: """
      Each purchase is credited exactly once. If the process dies, the next client verb completes the purchase. \
      Exits with 3 if the purchase did not complete; standard output states the outcome.
      """
  ) { try BuyCommand(invocation: $0).run() }

  private static let balance = Verb(
    name: "balance", group: .client, summary: "Show a customer's balances",
    arguments: [Argument("CODE", arity: .optional, kind: .name(.currencies), help: "Currency (default: all)")],
    options: [
      Option("--at", "TIME", help: "Show the balances at this instant or at the start of this day (default: now)"),
      Option("--at-version", "N", help: "Show the balance at this version of the account"),
      Option("--svg", "FILE", kind: .file, help: "Draw a chart of the balances into this file"),
      Option("--from", "TIME", help: "Start of the chart (default: the customer's creation)"),
      Option("--until", "TIME", help: "End of the chart (default: now)"), .zone,
    ],
    examples: ["gemctl balance GEM --customer alice", "gemctl balance --at 2026-11-22 --zone Asia/Tokyo"],
    discussion: """
      A past balance is shown as it was: later merges do not affect it, and expired currency is not counted.
      """
  ) { try BalanceCommand(invocation: $0).run() }

  private static let history = Verb(
    name: "history", group: .client, summary: "Show a customer's transactions, newest first",
    options: [.limit, .after],
    examples: ["gemctl history", "gemctl history --limit 20 --customer alice"]
  ) { try HistoryCommand(invocation: $0).run() }

  private static let login = Verb(
    name: "login", group: .client, summary: "Sign in as a customer",
    arguments: [Argument("ID", kind: .name(.customers), help: "App user id")], options: [.dryRun],
    examples: ["gemctl login alice", "gemctl login alice --dry-run"],
    discussion: """
      If the current customer is anonymous, its balances and purchases move to ID. Otherwise nothing moves.
      """
  ) { try IdentityCommands(invocation: $0).logIn() }

  private static let identify = Verb(
    name: "identify", group: .client, summary: "Switch to another customer and move nothing",
    arguments: [Argument("ID", kind: .name(.customers), help: "App user id")],
    examples: ["gemctl identify alice"],
    discussion: "Unlike \"login\", it leaves an anonymous customer's balances and purchases with that customer."
  ) { try IdentityCommands(invocation: $0).identify() }

  private static let reset = Verb(
    name: "reset", group: .client, summary: "Start over with a new anonymous customer", examples: ["gemctl reset"],
    discussion: "Unlike \"logout\", it also replaces an anonymous customer."
  ) { try IdentityCommands(invocation: $0).reset() }

  private static let logout = Verb(
    name: "logout", group: .client, summary: "Sign out and continue as a new anonymous customer",
    examples: ["gemctl logout"]
  ) { try IdentityCommands(invocation: $0).logOut() }

  private static let whoami = Verb(
    name: "whoami", group: .client, summary: "Show the signed-in customer and its ids", examples: ["gemctl whoami"]
  ) { try IdentityCommands(invocation: $0).whoAmI() }

  private static let alias = Verb(
    name: "alias", group: .client, summary: "Give the customer another id",
    arguments: [Argument("ID", help: "Additional id; if it has balances, the two customers are merged")],
    options: [.dryRun],
    examples: ["gemctl alias alice@device-2", "gemctl alias alice --customer old-alice --dry-run"]
  ) { try IdentityCommands(invocation: $0).alias() }

  private static let restore = Verb(
    name: "restore", group: .client, summary: "Restore the purchases of the store account, or a backup",
    statedForms: ["[--dry-run]", "FILE [--discard-newer]"],
    arguments: [Argument("FILE", arity: .optional, kind: .file, help: "Backup or other ledger file; opened read-only")],
    options: [
      .dryRun,
      Option(
        "--discard-newer",
        help: "With FILE: replace the ledger even if it has transactions that the backup lacks"),
    ],
    examples: ["gemctl restore --store-account family --dry-run", "gemctl restore backups/monday.sqlite"],
    discussion: """
      Without FILE, it restores the entitlements of the store account; consumables are not credited again. An \
      anonymous owner is merged into the customer. From a signed-in owner only the entitlements move.

      With FILE, it verifies the backup and replaces the ledger with it. The previous ledger is kept under another \
      name. Stop servers first: a ledger that is open in another process or belongs to another project is not \
      replaced. Afterwards, send requests that were booked since the backup again with their keys.
      """
  ) { invocation in
    guard invocation.parsed.positionals.isEmpty else { return try BackupCommands(invocation: invocation).restore() }
    if invocation.parsed.has("--discard-newer") {
      throw invocation.usageError("--discard-newer belongs to \"restore FILE\"")
    }
    try ClientCommands(invocation: invocation).restore()
  }

  private static let entitlements = Verb(
    name: "entitlements", group: .client, summary: "Show the customer's entitlements",
    examples: ["gemctl entitlements --customer alice"]
  ) { try ClientCommands(invocation: $0).entitlements() }

  private static let orders = Verb(
    name: "orders", group: .client, summary: "List the customer's orders",
    options: [Option("--page", "N", help: "Number of the page, 100 orders each (default: 1)")],
    examples: ["gemctl orders --customer alice"],
    discussion: "An order is a purchase announced before payment, such as \"gemctl buy --key KEY\"."
  ) {
    let page = Int(try $0.parsed.integer("--page", in: 1...1_000_000) ?? 1)
    let customer = try $0.recoveredCustomer()
    let orders = try $0.withClient(onlyReads: true) { (session) async throws(LedgerError) in
      try session.backend.orders(of: customer, page: page, size: 100)
    }
    let json: JSONValue = ["customer_id": .string(customer.text), "orders": .array(orders.map(OrderView.json))]
    try $0.print(json) { OrderView.text(orders, style: $0) }
  }

  private static let sync = Verb(
    name: "sync", group: .client, summary: "Post every queued receipt of every customer now",
    examples: ["gemctl sync"], discussion: "It ignores retry delays. Exits with 3 if a receipt remains in the queue."
  ) { try QueueCommands(invocation: $0).sync() }

  private static let queue = Verb(
    name: "queue", group: .client, summary: "List the receipts that are not credited yet",
    examples: ["gemctl queue"],
    discussion:
      "\"gemctl queue drain\" posts the due receipts, \"gemctl queue requeue\" retries a refused receipt."
  ) { try QueueCommands(invocation: $0).list() }

  private static let queueList = Verb(
    name: "queue list", group: .client, summary: "List the receipts that are not credited yet",
    examples: ["gemctl queue list", "gemctl queue list --json"]
  ) { try QueueCommands(invocation: $0).list() }

  private static let queueDrain = Verb(
    name: "queue drain", group: .client, summary: "Post the due receipts", examples: ["gemctl queue drain"],
    discussion: "Every client verb does this first."
  ) { try QueueCommands(invocation: $0).drain() }

  private static let queueRequeue = Verb(
    name: "queue requeue", group: .client, summary: "Retry a dead-lettered receipt",
    arguments: [Argument("ID", help: "Store transaction id, from \"gemctl queue\"")],
    examples: ["gemctl queue requeue 2000000000000001"]
  ) { try QueueCommands(invocation: $0).requeue() }
}
