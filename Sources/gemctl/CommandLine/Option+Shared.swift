extension Option {
  /// The options that every verb takes, before or after its name.
  static let global = [
    Option(
      name: "--home", value: "DIR", kind: .directory,
      help: "Directory of the ledger, the simulated store and the client (default: .gemctl)"),
    Option(
      name: "--storage", value: "URL",
      help: "Storage of the ledger: sqlite:PATH, postgres://… or memory: (default: a file in the home)"),
    Option(name: "--json", help: "Print results and errors as JSON (default: tables and text)"),
    Option(
      name: "--customer", value: "ID", kind: .name(.customers), help: "Customer (default: the signed-in customer)"),
    Option(name: "--device", value: "NAME", help: "Device of the customer, to simulate several devices"),
    Option(
      name: "--store-account", value: "NAME", help: "Account of the payer at the store (default: one per customer)"),
    Option(name: "--accept-clock", help: "Book even if the machine's clock is far from the newest transaction"),
    Option(name: "--help", short: "-h", help: "Show help for gemctl or for the verb"),
    Option(name: "--version", help: "Show the version"),
  ]

  /// The data that an order passes to its delivery.
  static let orderContext = [
    Option(name: "--game", value: "ID", help: "Game of the order"),
    Option(name: "--role", value: "ID", help: "Character of the order"),
    Option(name: "--server", value: "ID", help: "Game server of the order"),
    Option(name: "--extra", value: "TEXT", help: "Extra data for the delivery"),
  ]

  static let key = Option(
    name: "--key", value: "KEY", help: "Idempotency key: a repeated command with this key changes nothing")
  static let reference = Option(
    name: "--reference", value: "TEXT", help: "Your reference, for example an order number")
  static let reason = Option(name: "--reason", value: "TEXT", help: "Reason for the journal")
  static let dryRun = Option(name: "--dry-run", help: "Show the effects without changing anything")
  static let limit = Option(name: "--limit", value: "N", help: "Maximum number of results, up to 1000 (default: 100)")
  static let after = Option(
    name: "--after", value: "CURSOR", help: "Continue after this cursor, from the previous page")
  static let zone = Option(
    name: "--zone", value: "NAME", kind: .name(.zones),
    help: "Time zone of days such as 2026-11-22, for example Asia/Tokyo (default: UTC)")
  static let csv = Option(name: "--csv", help: "Print comma-separated values (RFC 4180) instead of a table")
}
