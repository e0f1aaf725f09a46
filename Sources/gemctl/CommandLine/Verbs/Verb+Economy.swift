extension Verb {
  /// Verbs that undo, hold and move currency.
  static let economy = [reverse, hold, holds, capture, extend, release, transfer, exchange, basket]
  /// Verbs that work on whole customers.
  static let upkeep = [erase, sweep]

  private static let reverse = Verb(
    name: "reverse", group: .ledger, summary: "Undo a spend, into the lots that it took from",
    arguments: [
      Argument(name: "TRANSACTION", help: "The spend, the purchase of an item, or the capture: its transaction id"),
      .partialAmounts,
    ],
    options: bookingOptions,
    examples: [
      "gemctl reverse 019aa3f2-6c1e-7000-8000-00000a51c7e4 --key order-17/undo",
      "gemctl reverse 019aa3f2-6c1e-7000-8000-00000a51c7e4 GEM=20 --reason worn",
    ],
    discussion: """
      Without amounts all that is not given back yet goes back. What comes back keeps its price and its expiry: what \
      has expired meanwhile is gone, and what belongs to a purchase that was refunded meanwhile goes to that refund; \
      both are told. Items that were bought go back with the last of their price.
      """
  ) { try EconomyCommands(invocation: $0).reverse() }

  private static let transfer = Verb(
    name: "transfer", group: .ledger, summary: "Move currency from one customer to another",
    arguments: [.amounts(.oneOrMore)],
    options: [
      Option(name: "--from", value: "ID", kind: .name(.customers), isRequired: true, help: "Who gives"),
      Option(name: "--to", value: "ID", kind: .name(.customers), isRequired: true, help: "Who gets"),
    ] + bookingOptions,
    examples: ["gemctl transfer GEM=20 --from alice --to bob --key birthday-17"],
    discussion: """
      Both must exist. What is moved keeps its source, its share of the price and its expiry; the key belongs to who \
      gives.
      """
  ) { try EconomyCommands(invocation: $0).transfer() }

  private static let exchange = Verb(
    name: "exchange", group: .ledger, summary: "Change currency into another one of the same customer",
    arguments: [
      Argument(name: "CODE=AMOUNT", kind: .name(.amounts), help: "What is given, such as GEM=10: plain digits")
    ],
    options: [
      Option(
        name: "--into", value: "CODE", kind: .name(.currencies), isRequired: true,
        help: "The currency that is got for it"),
      Option(
        name: "--rate", value: "N/D", isRequired: true, help: "How much is got for how much: 100/1 gives 100 for each 1"
      ),
      Option(
        name: "--rounding", value: "RULE", kind: .oneOf(["down", "nearest", "up"]),
        help: "What becomes of a part of a unit: down, nearest or up (default: down)"),
    ] + bookingOptions,
    examples: [
      "gemctl exchange GEM=10 --into COIN --rate 100/1 --customer alice",
      "gemctl exchange COIN=250 --into GEM --rate 1/100 --rounding nearest --dry-run",
    ],
    discussion:
      "What is got keeps source, environment, expiry and price of what is given, and where it came from. What "
      + "comes to nothing is refused with rounds_to_zero."
  ) { try EconomyCommands(invocation: $0).exchange() }

  private static let basket = Verb(
    name: "basket", group: .ledger, summary: "Book several steps over several customers, all or none",
    arguments: [Argument(name: "FILE", kind: .file, help: "A JSON document with the steps; \"-\" is standard input")],
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
      The document is {"payer": ID, "legs": [LEG, …]} with 1 to 200 legs. The payer takes part, and the key is theirs. \
      A leg is one of

      {"transfer": {CODE: AMOUNT, …}, "from": ID, "to": ID}
      {"item": ID, "quantity": N, "from": ID, "to": ID} (quantity: 1 unless given)
      {"spend": {CODE: AMOUNT, …}, "customer": ID} (a fee: taken and gone)
      {"grant": {CODE: AMOUNT, …}, "customer": ID, "source": SOURCE} (earned, promotional, bonus or admin; \
      earned unless given)

      All customers must exist, and none of them both gives and gets the same currency or item. Unknown fields are \
      refused, and every problem of the document is listed. Each customer gets a transaction of their own.
      """
  ) { try EconomyCommands(invocation: $0).basket() }

  private static let erase = Verb(
    name: "erase", group: .ledger, summary: "Forget who a customer is; the books stay",
    options: [.dryRun],
    examples: ["gemctl erase --customer alice", "gemctl erase --customer alice --dry-run"],
    discussion: """
      Ids, references, reasons and keys go for ever; balances, purchases and the proof of the books stay, under an id \
      that says nothing. A purchase that is delivered again is not credited again. The customer must be named with \
      --customer or GEMCTL_CUSTOMER: who is signed in is not meant. The simulated store and the client of the home \
      keep what they know.
      """
  ) { try EconomyCommands(invocation: $0).erase() }

  private static let sweep = Verb(
    name: "sweep", group: .ledger, summary: "Write down what has come about by itself",
    examples: ["gemctl sweep", "gemctl sweep --json"],
    discussion: """
      Expiries, holds past their deadline, allowances and recharges count from their instant on, with or without a \
      sweep. It writes them down for those who read only the feed, and may run as often as you like.
      """
  ) { try SweepCommand(invocation: $0).run() }
}

// MARK: Holds

extension Verb {
  private static let hold = Verb(
    name: "hold", group: .ledger, summary: "Set currency aside, to be captured or released",
    arguments: [.amounts(.oneOrMore)],
    options: [
      Option(name: "--for", value: "TIME", help: "How long, such as 90s, 15m, 1h or 30d (default: 15m)")
    ] + bookingOptions,
    examples: ["gemctl hold GEM=50 --for 15m --customer alice --key order-17", "gemctl hold GEM=50 COIN=3"],
    discussion: """
      What is on hold stays in the balance, and nothing else can spend it. Hold, give what it is for, then capture; \
      where giving fails, release, or do nothing: at its deadline a hold ends by itself.
      """
  ) { try HoldCommands(invocation: $0).hold() }

  private static let holds = Verb(
    name: "holds", group: .ledger, summary: "List a customer's open holds",
    examples: ["gemctl holds --customer alice", "gemctl holds --json"],
    discussion: "Those that end first come first."
  ) { try HoldCommands(invocation: $0).list() }

  private static let capture = Verb(
    name: "capture", group: .ledger, summary: "Spend what a hold set aside, in full or part",
    arguments: [.hold, .partialAmounts],
    options: [Option(name: "--keep-open", help: "Keep the rest on hold for further captures")] + bookingOptions,
    examples: [
      "gemctl capture 019aa3f2-6c1e-7000-8000-00000a51c7e4 --key order-17/pay",
      "gemctl capture 019aa3f2-6c1e-7000-8000-00000a51c7e4 GEM=30",
      "gemctl capture 019aa3f2-6c1e-7000-8000-00000a51c7e4 GEM=30 --keep-open",
    ],
    discussion: "Without amounts all of it is spent. What is not is released, unless the hold is kept open."
  ) { try HoldCommands(invocation: $0).capture() }

  private static let extend = Verb(
    name: "extend", group: .ledger, summary: "Let a hold last longer",
    arguments: [.hold],
    options: [
      Option(name: "--for", value: "TIME", isRequired: true, help: "How long from now, such as 90s, 15m, 1h or 30d")
    ] + bookingOptions,
    examples: ["gemctl extend 019aa3f2-6c1e-7000-8000-00000a51c7e4 --for 15m"],
    discussion: "At most 30 days from its beginning. A hold that lasts longer anyway stays as it is."
  ) { try HoldCommands(invocation: $0).extend() }

  private static let release = Verb(
    name: "release", group: .ledger, summary: "Give back what a hold set aside",
    arguments: [.hold],
    options: bookingOptions,
    examples: ["gemctl release 019aa3f2-6c1e-7000-8000-00000a51c7e4 --reason \"out of stock\""],
    discussion: """
      It goes back to the lots that it came from: what has expired meanwhile is gone, and what belongs to a purchase \
      that was refunded meanwhile goes to that refund; both are told.
      """
  ) { try HoldCommands(invocation: $0).release() }

  private static let bookingOptions: [Option] = [.key, .reference, .reason, .dryRun]
}

extension Argument {
  static func amounts(_ arity: Arity) -> Argument {
    Argument(
      name: "CODE=AMOUNT", arity: arity, kind: .name(.amounts),
      help: "A currency and how much of it, such as GEM=50: plain digits")
  }

  fileprivate static let partialAmounts = Argument(
    name: "CODE=AMOUNT", arity: .zeroOrMore, kind: .name(.amounts),
    help: "How much of each currency (default: all that is left)")

  fileprivate static let hold = Argument(
    name: "HOLD", kind: .name(.holds), help: "The hold id, as \"gemctl hold\" and \"gemctl holds\" print it")
}
