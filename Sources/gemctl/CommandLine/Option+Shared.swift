extension Option {
  /// The options that every verb takes, before or after its name.
  static let global = [
    Option(
      "--home", "DIR", kind: .directory,
      help: "Directory of the ledger, the simulated store and the client (default: .gemctl)"),
    Option(
      "--storage", "URL",
      help: "Storage of the ledger: sqlite:PATH, postgres://… or memory: (default: a file in the home)"),
    Option("--json", help: "Print results and errors as JSON (default: tables and text)"),
    Option("--customer", "ID", kind: .name(.customers), help: "Customer (default: the signed-in customer)"),
    Option("--device", "NAME", help: "Device of the customer, to simulate several devices"),
    Option("--store-account", "NAME", help: "Account of the payer at the store (default: one per customer)"),
    Option("--accept-clock", help: "Book even if the machine's clock is far from the newest transaction"),
    Option("--help", short: "-h", help: "Show help for gemctl or for the verb"),
    Option("--version", help: "Show the version"),
  ]

  /// The data that an order passes to its delivery.
  static let orderContext = [
    Option("--game", "ID", help: "Game of the order"),
    Option("--role", "ID", help: "Character of the order"),
    Option("--server", "ID", help: "Game server of the order"),
    Option("--extra", "TEXT", help: "Extra data for the delivery"),
  ]

  static let key = Option("--key", "KEY", help: "Idempotency key: a repeated command with this key changes nothing")
  static let reference = Option("--reference", "TEXT", help: "Your reference, for example an order number")
  static let reason = Option("--reason", "TEXT", help: "Reason for the journal")
  static let dryRun = Option("--dry-run", help: "Show the effects without changing anything")
  static let limit = Option("--limit", "N", help: "Maximum number of results, up to 1000 (default: 100)")
  static let after = Option("--after", "CURSOR", help: "Continue after this cursor, from the previous page")
  static let zone = Option(
    "--zone", "NAME", kind: .name(.zones),
    help: "Time zone of days such as 2026-11-22, for example Asia/Tokyo (default: UTC)")
  static let csv = Option("--csv", help: "Print comma-separated values (RFC 4180) instead of a table")
}
