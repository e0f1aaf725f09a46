extension Option {
  /// The options that every verb takes, before or after its name.
  static let global = [
    Option(
      name: "--home", value: "DIR", kind: .directory,
      help: "Directory of the ledger, the simulated store and the client (default: .gemctl)"),
    Option(
      name: "--storage", value: "URL",
      help: "Where the ledger is kept: sqlite:PATH, postgres://… or memory: (default: a file in the home)"),
    Option(name: "--json", help: "Print one JSON document instead of tables; errors too"),
    Option(
      name: "--customer", value: "ID", kind: .name(.customers), help: "The customer meant (default: who is signed in)"),
    Option(name: "--device", value: "NAME", help: "The device that acts, where a story needs two"),
    Option(name: "--store-account", value: "NAME", help: "Who pays at the store (default: named after the customer)"),
    Option(name: "--accept-clock", help: "Book although the machine's clock is far from the newest transaction"),
    Option(name: "--help", short: "-h", help: "Show help for gemctl or for the verb"),
    Option(name: "--version", help: "Show the version"),
  ]

  /// The data that an order carries to its delivery.
  static let orderContext = [
    Option(name: "--game", value: "ID", help: "The order's game"),
    Option(name: "--role", value: "ID", help: "The order's character"),
    Option(name: "--server", value: "ID", help: "The order's game server"),
    Option(name: "--extra", value: "TEXT", help: "The order's extra data, passed on to the delivery"),
  ]

  static let key = Option(
    name: "--key", value: "KEY", help: "Idempotency key: repeating the command with it does nothing twice")
  static let reference = Option(
    name: "--reference", value: "TEXT", help: "Your own name for what this is about, such as an order number")
  static let reason = Option(name: "--reason", value: "TEXT", help: "Why; kept in the journal")
  static let dryRun = Option(name: "--dry-run", help: "Show what would happen and change nothing")
  static let limit = Option(name: "--limit", value: "N", help: "How many at most (default: 100, most: 1000)")
  static let after = Option(
    name: "--after", value: "CURSOR", help: "Go on behind this cursor, which the page before printed")
  static let zone = Option(
    name: "--zone", value: "NAME", kind: .name(.zones),
    help: "Where a day such as 2026-11-22 begins, such as Asia/Tokyo (default: UTC)")
  static let csv = Option(name: "--csv", help: "Print comma-separated values (RFC 4180) instead of a table")
}
