extension Verb {
  /// Verbs that undo, hold and move currency.
  static let economy = [reverse, hold, holds, capture, extend, release, transfer, exchange, basket]
  /// Verbs that work on whole customers.
  static let upkeep = [erase, sweep]

  private static let reverse = Verb(
    name: "reverse", group: .ledger, summary: "Reverse a spend into its original lots",
    arguments: [
      Argument(name: "TRANSACTION", help: "Transaction id of the spend, item purchase or capture"),
      .partialAmounts,
    ],
    options: bookingOptions,
    examples: [
      "gemctl reverse 019aa3f2-6c1e-7000-8000-00000a51c7e4 --key order-17/undo",
      "gemctl reverse 019aa3f2-6c1e-7000-8000-00000a51c7e4 GEM=20 --reason worn",
    ],
    discussion: """
      Without amounts the whole rest is reversed. Returned currency keeps its price and expiry. Currency that has \
      expired is lost, and currency of a refunded purchase goes to the refund; the output states both. Bought items \
      are taken back with the last part of their price.
      """
  ) { try EconomyCommands(invocation: $0).reverse() }

  private static let transfer = Verb(
    name: "transfer", group: .ledger, summary: "Move currency from one customer to another",
    arguments: [.amounts(.oneOrMore)],
    options: [
      Option(name: "--from", value: "ID", kind: .name(.customers), isRequired: true, help: "Sender"),
      Option(name: "--to", value: "ID", kind: .name(.customers), isRequired: true, help: "Recipient"),
    ] + bookingOptions,
    examples: ["gemctl transfer GEM=20 --from alice --to bob --key birthday-17"],
    discussion: """
      Both customers must exist. Moved currency keeps its source, expiry and share of the price. The key belongs to \
      the sender.
      """
  ) { try EconomyCommands(invocation: $0).transfer() }

  private static let exchange = Verb(
    name: "exchange", group: .ledger, summary: "Exchange one currency for another",
    arguments: [
      Argument(name: "CODE=AMOUNT", kind: .name(.amounts), help: "Amount to exchange, for example GEM=10")
    ],
    options: [
      Option(
        name: "--into", value: "CODE", kind: .name(.currencies), isRequired: true,
        help: "Target currency"),
      Option(
        name: "--rate", value: "N/D", isRequired: true, help: "N target units for D source units, for example 100/1"),
      Option(
        name: "--rounding", value: "RULE", kind: .oneOf(["down", "nearest", "up"]),
        help: "Rounding of part units: down, nearest or up (default: down)"),
    ] + bookingOptions,
    examples: [
      "gemctl exchange GEM=10 --into COIN --rate 100/1 --customer alice",
      "gemctl exchange COIN=250 --into GEM --rate 1/100 --rounding nearest --dry-run",
    ],
    discussion:
      "The target currency keeps source, environment, expiry, price and purchase of the source lots. An amount that "
      + "rounds to zero is refused with rounds_to_zero."
  ) { try EconomyCommands(invocation: $0).exchange() }

  private static let basket = Verb(
    name: "basket", group: .ledger, summary: "Book several steps across customers, all or none",
    arguments: [Argument(name: "FILE", kind: .file, help: "JSON document with the steps; \"-\" for standard input")],
    options: bookingOptions,
    examples: [
      "gemctl basket gift.json --key gift-17",
      "cat gift.json",
      "  {\"payer\": \"alice\", \"legs\": [",
      "    {\"transfer\": {\"GEM\": 20}, \"from\": \"alice\", \"to\": \"bob\"}]}",
      "cat trade.json",
      "  {\"payer\": \"alice\", \"legs\": [",
      "    {\"transfer\": {\"GEM\": 100}, \"from\": \"alice\", \"to\": \"bob\"},",
      "    {\"item\": \"sword\", \"quantity\": 1, \"from\": \"bob\", \"to\": \"alice\"},",
      "    {\"spend\": {\"COIN\": 5}, \"customer\": \"bob\"}]}",
      "gemctl basket trade.json --dry-run",
    ],
    discussion: """
      The document is {"payer": ID, "legs": [LEG, …]} with 1 to 200 legs. The payer must take part and owns the key. \
      A leg is one of

      {"transfer": {CODE: AMOUNT, …}, "from": ID, "to": ID}
      {"item": ID, "quantity": N, "from": ID, "to": ID} (default: 1)
      {"spend": {CODE: AMOUNT, …}, "customer": ID} (a fee)
      {"grant": {CODE: AMOUNT, …}, "customer": ID, "source": SOURCE} (earned, \
      promotional, bonus or admin; default: earned)

      All customers must exist, and no customer may both give and receive the same currency or item. Every problem of \
      the document is listed; unknown fields are problems too. One transaction is booked per customer.
      """
  ) { try EconomyCommands(invocation: $0).basket() }

  private static let erase = Verb(
    name: "erase", group: .ledger, summary: "Erase a customer's personal data; the books stay",
    options: [.dryRun],
    examples: ["gemctl erase --customer alice", "gemctl erase --customer alice --dry-run"],
    discussion: """
      Ids, references, reasons and keys are erased permanently; balances, purchases and proofs stay, under a neutral \
      id. A purchase that is delivered again is not credited again. Name the customer with --customer or \
      GEMCTL_CUSTOMER; the signed-in customer is no default. The simulated store and the client of the home keep their \
      data.
      """
  ) { try EconomyCommands(invocation: $0).erase() }

  private static let sweep = Verb(
    name: "sweep", group: .ledger, summary: "Book the scheduled effects that are due",
    examples: ["gemctl sweep", "gemctl sweep --json"],
    discussion: """
      Expiries, ended holds, allowances and recharges take effect at their time even without a sweep. A sweep adds \
      them to the journal, for example for readers of the feed. It can run at any time.
      """
  ) { try SweepCommand(invocation: $0).run() }
}

// MARK: Holds

extension Verb {
  private static let hold = Verb(
    name: "hold", group: .ledger, summary: "Hold currency for a later capture or release",
    arguments: [.amounts(.oneOrMore)],
    options: [
      Option(name: "--for", value: "TIME", help: "Duration, for example 90s, 15m, 1h or 30d (default: 15m)")
    ] + bookingOptions,
    examples: ["gemctl hold GEM=50 --for 15m --customer alice --key order-17", "gemctl hold GEM=50 COIN=3"],
    discussion: """
      Held currency stays in the balance, but nothing else can spend it. Hold, deliver the goods, then capture. If the \
      delivery fails, release the hold, or let it end at its deadline.
      """
  ) { try HoldCommands(invocation: $0).hold() }

  private static let holds = Verb(
    name: "holds", group: .ledger, summary: "List a customer's open holds",
    examples: ["gemctl holds --customer alice", "gemctl holds --json"],
    discussion: "They are in order of their deadlines."
  ) { try HoldCommands(invocation: $0).list() }

  private static let capture = Verb(
    name: "capture", group: .ledger, summary: "Spend held currency, in full or in part",
    arguments: [.hold, .partialAmounts],
    options: [
      Option(name: "--keep-open", help: "Keep the rest on hold for further captures (default: release it)")
    ] + bookingOptions,
    examples: [
      "gemctl capture 019aa3f2-6c1e-7000-8000-00000a51c7e4 --key order-17/pay",
      "gemctl capture 019aa3f2-6c1e-7000-8000-00000a51c7e4 GEM=30 --keep-open",
    ],
    discussion: "Without amounts the whole hold is spent."
  ) { try HoldCommands(invocation: $0).capture() }

  private static let extend = Verb(
    name: "extend", group: .ledger, summary: "Extend a hold",
    arguments: [.hold],
    options: [
      Option(name: "--for", value: "TIME", isRequired: true, help: "Duration from now, for example 90s, 15m, 1h or 30d")
    ] + bookingOptions,
    examples: ["gemctl extend 019aa3f2-6c1e-7000-8000-00000a51c7e4 --for 15m"],
    discussion: "A hold ends at most 30 days after its start. An extension never shortens it."
  ) { try HoldCommands(invocation: $0).extend() }

  private static let release = Verb(
    name: "release", group: .ledger, summary: "Release held currency",
    arguments: [.hold],
    options: bookingOptions,
    examples: ["gemctl release 019aa3f2-6c1e-7000-8000-00000a51c7e4 --reason \"out of stock\""],
    discussion: """
      The currency returns to its lots. Currency that has expired is lost, and currency of a refunded purchase goes to \
      the refund; the output states both.
      """
  ) { try HoldCommands(invocation: $0).release() }

  private static let bookingOptions: [Option] = [.key, .reference, .reason, .dryRun]
}

extension Argument {
  static func amounts(_ arity: Arity) -> Argument {
    Argument(
      name: "CODE=AMOUNT", arity: arity, kind: .name(.amounts),
      help: "Currency and amount in plain digits, for example GEM=50")
  }

  fileprivate static let partialAmounts = Argument(
    name: "CODE=AMOUNT", arity: .zeroOrMore, kind: .name(.amounts),
    help: "Amount of each currency (default: the whole rest)")

  fileprivate static let hold = Argument(
    name: "HOLD", kind: .name(.holds), help: "Hold id, from \"gemctl hold\" or \"gemctl holds\"")
}
