extension Verb {
  /// The actions of an app for its customer.
  static let client = [
    buy, balance, history, login, identify, logout, reset, whoami, alias, restore, entitlements, orders, sync,
    queueList, queueDrain,
    queueRequeue, queue,
  ]

  private static let buy = Verb(
    name: "buy", group: .client, summary: "Buy a product at the simulated store and credit it",
    arguments: [
      Argument(name: "PRODUCT", kind: .name(.products), help: "The product's code, as \"gemctl offerings\" lists it")
    ],
    options: [
      Option(name: "--quantity", value: "N", help: "How many units, 1 to 10, at Google Play to 99 (default: 1)"),
      Option(
        name: "--key", value: "KEY", help: "Makes it an order: the key asks for one payment, however often it is used"),
    ] + Option.orderContext + [
      Option(name: "--fail", help: "The store fails; nobody pays"),
      Option(name: "--cancel", help: "The customer turns back at the payment sheet"),
      Option(name: "--ask-to-buy", help: "Somebody has to approve first: see \"gemctl approve\""),
      Option(name: "--offline", help: "The backend is out of reach: the purchase is paid for and waits in the queue"),
      Option(
        name: "--crash-after", value: "STEP", kind: .oneOf(["paid", "queued", "credited", "finished"]),
        help: "The process kills itself right after that step: paid, queued, credited or finished"),
    ],
    examples: [
      "gemctl buy gems_1200", "gemctl buy gems_300 --quantity 2 --customer alice --json",
      "gemctl buy gems_300 --crash-after paid",
    ],
    discussion: """
      The purchase is credited exactly once, however often it is delivered and wherever a process dies: the next \
      client verb finishes what an earlier one began. Exits with 3 where the purchase did not complete; what became of \
      it is on standard output.
      """
  ) { try BuyCommand(invocation: $0).run() }

  private static let balance = Verb(
    name: "balance", group: .client, summary: "Show a customer's balances",
    arguments: [
      Argument(name: "CODE", arity: .optional, kind: .name(.currencies), help: "One currency (default: all)")
    ],
    options: [
      Option(
        name: "--at", value: "TIME",
        help: "As of this instant, such as 2026-11-21T09:30:00Z, or the beginning of this day"),
      Option(name: "--at-version", value: "N", help: "As of this version of the account"),
      Option(name: "--svg", value: "FILE", kind: .file, help: "Draw the balances over time into this file"),
      Option(name: "--from", value: "TIME", help: "Where the drawing begins (default: with the customer)"),
      Option(name: "--until", value: "TIME", help: "Where the drawing ends (default: now)"), .zone,
    ],
    examples: [
      "gemctl balance", "gemctl balance GEM --customer alice", "gemctl balance --at 2026-11-21T09:30:00Z",
      "gemctl balance --at 2026-11-22 --zone Asia/Tokyo",
      "gemctl balance --svg balance.svg",
    ],
    discussion: """
      What is booked later changes nothing of what was: an id that was merged into another customer since names who \
      it named then, and what had expired counts as gone.
      """
  ) { try BalanceCommand(invocation: $0).run() }

  private static let history = Verb(
    name: "history", group: .client, summary: "Show a customer's transactions, newest first",
    options: [.limit, .after],
    examples: ["gemctl history", "gemctl history --limit 20 --customer alice"]
  ) { try HistoryCommand(invocation: $0).run() }

  private static let login = Verb(
    name: "login", group: .client, summary: "Sign in as a customer",
    arguments: [Argument(name: "ID", kind: .name(.customers), help: "The app user id")], options: [.dryRun],
    examples: ["gemctl login alice", "gemctl login alice --dry-run"],
    discussion: """
      From a customer who never signed in everything moves along: the two become one. From another customer nothing \
      moves.
      """
  ) { try IdentityCommands(invocation: $0).logIn() }

  private static let identify = Verb(
    name: "identify", group: .client, summary: "Switch to another customer; nothing moves",
    arguments: [Argument(name: "ID", kind: .name(.customers), help: "The app user id")],
    examples: ["gemctl identify alice"],
    discussion: "Unlike \"login\", which takes along what an anonymous customer has."
  ) { try IdentityCommands(invocation: $0).identify() }

  private static let reset = Verb(
    name: "reset", group: .client, summary: "Start over with a new anonymous customer", examples: ["gemctl reset"],
    discussion: "Unlike \"logout\", it takes an anonymous customer's place too."
  ) { try IdentityCommands(invocation: $0).reset() }

  private static let logout = Verb(
    name: "logout", group: .client, summary: "Sign out; a new anonymous customer is signed in",
    examples: ["gemctl logout"]
  ) { try IdentityCommands(invocation: $0).logOut() }

  private static let whoami = Verb(
    name: "whoami", group: .client, summary: "Show who is signed in, with all ids", examples: ["gemctl whoami"]
  ) { try IdentityCommands(invocation: $0).whoAmI() }

  private static let alias = Verb(
    name: "alias", group: .client, summary: "Give the customer another id",
    arguments: [Argument(name: "ID", help: "The other id; where it has balances, the two become one customer")],
    options: [.dryRun],
    examples: ["gemctl alias alice@device-2", "gemctl alias alice --customer old-alice --dry-run"]
  ) { try IdentityCommands(invocation: $0).alias() }

  private static let restore = Verb(
    name: "restore", group: .client, summary: "Restore what the store account bought, or a backup of the ledger",
    statedForms: ["[--dry-run]", "FILE [--discard-newer]"],
    arguments: [
      Argument(name: "FILE", arity: .optional, kind: .file, help: "A backup, or any ledger's file; it is only read")
    ],
    options: [
      .dryRun,
      Option(
        name: "--discard-newer",
        help: "With FILE: also where the ledger that is there has transactions that the backup lacks"),
    ],
    examples: [
      "gemctl restore", "gemctl restore --store-account family --dry-run", "gemctl restore backups/monday.sqlite",
    ],
    discussion: """
      Without FILE it restores the purchases of the store account: entitlements come back; a consumable is never \
      credited a second time. An owner who never signed in becomes one with the customer; of an owner who did, \
      entitlements move and balances stay.

      With FILE it puts a backup in the place of the ledger. The books of the backup are proved first. What lay there \
      is kept beside it under another name, with its log. Stop servers before: a ledger that another process has open, \
      or that is of another project, is not replaced. After it, requests that were booked since the backup may be sent \
      again under their keys.
      """
  ) { invocation in
    guard invocation.parsed.positionals.isEmpty else { return try BackupCommands(invocation: invocation).restore() }
    if invocation.parsed.flags.contains("--discard-newer") {
      throw UsageError("--discard-newer belongs to \"restore FILE\"", verb: invocation.parsed.verb)
    }
    try ClientCommands(invocation: invocation).restore()
  }

  private static let entitlements = Verb(
    name: "entitlements", group: .client, summary: "Show the customer's entitlements",
    examples: ["gemctl entitlements --customer alice"]
  ) { try ClientCommands(invocation: $0).entitlements() }

  private static let orders = Verb(
    name: "orders", group: .client, summary: "Show the customer's orders: purchases announced before payment",
    options: [Option(name: "--page", value: "N", help: "Which page of 100, from 1 (default: 1)")],
    examples: ["gemctl orders --customer alice"],
    discussion: "\"gemctl buy --key KEY\" makes an order first."
  ) { try ClientCommands(invocation: $0).orders() }

  private static let sync = Verb(
    name: "sync", group: .client, summary: "Try every queued receipt of every customer now",
    examples: ["gemctl sync"], discussion: "Whatever its back-off says. Exits with 3 where something still waits."
  ) { try QueueCommands(invocation: $0).sync() }

  private static let queue = Verb(
    name: "queue", group: .client, summary: "List the receipts that wait for their credit",
    examples: ["gemctl queue"],
    discussion:
      "\"gemctl queue drain\" posts what is due, \"gemctl queue requeue\" gives a refused receipt another chance."
  ) { try QueueCommands(invocation: $0).list() }

  private static let queueList = Verb(
    name: "queue list", group: .client, summary: "List the receipts that wait for their credit",
    examples: ["gemctl queue list", "gemctl queue list --json"]
  ) { try QueueCommands(invocation: $0).list() }

  private static let queueDrain = Verb(
    name: "queue drain", group: .client, summary: "Post what is due", examples: ["gemctl queue drain"],
    discussion: "Every client verb does so first."
  ) { try QueueCommands(invocation: $0).drain() }

  private static let queueRequeue = Verb(
    name: "queue requeue", group: .client, summary: "Give a dead-lettered receipt another chance",
    arguments: [Argument(name: "ID", help: "Its store transaction id, as \"gemctl queue\" lists it")],
    examples: ["gemctl queue requeue 2000000000000001"]
  ) { try QueueCommands(invocation: $0).requeue() }
}
