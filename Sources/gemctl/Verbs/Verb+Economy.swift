import GemLedger
import LedgerCharts

extension Verb {
  /// Verbs that undo, hold and move currency.
  static let economy = [reverse, hold, holds, capture, extend, release, transfer, exchange, basket]
  /// Verbs that work on whole customers.
  static let upkeep = [erase, sweep]

  private static let reverse = Verb(
    name: "reverse", group: .ledger, summary: "Reverse a spend into its original lots",
    arguments: [
      Argument("TRANSACTION", help: "Transaction id of the spend, item purchase or capture"),
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
  ) {
    let id = try $0.transactionID($0.parsed.positionals[0])
    let amounts = try $0.amounts(from: 1)
    try $0.answer(
      .reverse(id, amounts: amounts.isEmpty ? nil : amounts, key: try $0.key(), details: try $0.details()))
  }

  private static let transfer = Verb(
    name: "transfer", group: .ledger, summary: "Move currency from one customer to another",
    arguments: [.amounts(.oneOrMore)],
    options: [
      Option("--from", "ID", kind: .name(.customers), isRequired: true, help: "Sender"),
      Option("--to", "ID", kind: .name(.customers), isRequired: true, help: "Recipient"),
    ] + bookingOptions,
    examples: ["gemctl transfer GEM=20 --from alice --to bob --key birthday-17"],
    discussion: """
      Both customers must exist. Moved currency keeps its source, expiry and share of the price. The key belongs to \
      the sender.
      """
  ) {
    try $0.answer(
      .transfer(
        try $0.amounts(), from: try $0.customer(of: "--from"), to: try $0.customer(of: "--to"), key: try $0.key(),
        details: try $0.details()), isBasket: true)
  }

  private static let exchange = Verb(
    name: "exchange", group: .ledger, summary: "Exchange one currency for another",
    arguments: [Argument("CODE=AMOUNT", kind: .name(.amounts), help: "Amount to exchange, for example GEM=10")],
    options: [
      Option(
        "--into", "CODE", kind: .name(.currencies), isRequired: true,
        help: "Target currency"),
      Option("--rate", "N/D", isRequired: true, help: "N target units for D source units, for example 100/1"),
      Option(
        "--rounding", "RULE", kind: .oneOf(["down", "nearest", "up"]),
        help: "Rounding of part units: down, nearest or up (default: down)"),
    ] + bookingOptions,
    examples: [
      "gemctl exchange GEM=10 --into COIN --rate 100/1 --customer alice",
      "gemctl exchange COIN=250 --into GEM --rate 1/100 --rounding nearest --dry-run",
    ],
    discussion:
      "The target currency keeps source, environment, expiry, price and purchase of the source lots. An amount that "
      + "rounds to zero is refused with rounds_to_zero."
  ) {
    try $0.answer(
      .exchange(
        try $0.amounts()[0], into: try CurrencyCode($0.parsed.required("--into")), rate: try $0.rate(),
        customer: try $0.customer(), key: try $0.key(), details: try $0.details()))
  }

  private static let basket = Verb(
    name: "basket", group: .ledger, summary: "Book several steps across customers, all or none",
    arguments: [Argument("FILE", kind: .file, help: "JSON document with the steps; \"-\" for standard input")],
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
  ) {
    let document = try BasketDocument(try FileAccess.read($0.parsed.positionals[0]))
    try $0.answer(
      .basket(document.legs, payer: document.payer, key: try $0.key(), details: try $0.details()), isBasket: true)
  }

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
  ) { try EraseCommand(invocation: $0).run() }

  private static let sweep = Verb(
    name: "sweep", group: .ledger, summary: "Book the scheduled effects that are due",
    examples: ["gemctl sweep", "gemctl sweep --json"],
    discussion: """
      Expiries, ended holds, allowances and recharges take effect at their time even without a sweep. A sweep adds \
      them to the journal, for example for readers of the feed. It can run at any time.
      """
  ) { invocation in
    var seen: Int64 = 0
    var bar = ProgressBar("Sweeping", total: nil, terminal: invocation.terminal)
    let booked = try invocation.withLedger { (ledger) throws(LedgerError) in
      defer { bar.finish() }
      return try ledger.sweep { count in
        seen = Int64(count)
        bar.advance(to: count)
      }
    }
    try invocation.print(["settled": .integer(Int64(booked)), "customers": .integer(seen)]) { _ in
      let due = booked == 0 ? "nothing was due" : "something was due for \(AmountText.grouped(Int64(booked)))"
      return "Looked at \(AmountText.counted(seen, "customer")): \(due).\n"
    }
  }
}

// MARK: Holds

extension Verb {
  private static let hold = Verb(
    name: "hold", group: .ledger, summary: "Hold currency for a later capture or release",
    arguments: [.amounts(.oneOrMore)],
    options: [Option("--for", "TIME", help: "Duration, for example 90s, 15m, 1h or 30d (default: 15m)")]
      + bookingOptions,
    examples: ["gemctl hold GEM=50 --for 15m --customer alice --key order-17", "gemctl hold GEM=50 COIN=3"],
    discussion: """
      Held currency stays in the balance, but nothing else can spend it. Hold, deliver the goods, then capture. If the \
      delivery fails, release the hold, or let it end at its deadline.
      """
  ) {
    try $0.answerHold(
      .hold(
        try $0.amounts(), customer: try $0.customer(), for: try $0.duration("--for") ?? LedgerCommand.holdDuration,
        key: try $0.key(), details: try $0.details()))
  }

  private static let holds = Verb(
    name: "holds", group: .ledger, summary: "List a customer's open holds",
    examples: ["gemctl holds --customer alice", "gemctl holds --json"],
    discussion: "They are in order of their deadlines."
  ) {
    let customer = try $0.recoveredCustomer()
    let holds = try $0.withLedger { (ledger) throws(LedgerError) in try ledger.holds(of: customer) }
    let json: JSONValue = ["customer_id": .string(customer.text), "holds": .array(holds.map(HoldView.json))]
    try $0.print(json) { HoldView.table(holds, style: $0) }
  }

  private static let capture = Verb(
    name: "capture", group: .ledger, summary: "Spend held currency, in full or in part",
    arguments: [.hold, .partialAmounts],
    options: [Option("--keep-open", help: "Keep the rest on hold for further captures (default: release it)")]
      + bookingOptions,
    examples: [
      "gemctl capture 019aa3f2-6c1e-7000-8000-00000a51c7e4 --key order-17/pay",
      "gemctl capture 019aa3f2-6c1e-7000-8000-00000a51c7e4 GEM=30 --keep-open",
    ],
    discussion: "Without amounts the whole hold is spent."
  ) {
    let amounts = try $0.amounts(from: 1)
    try $0.answer(
      .capture(
        try $0.holdID(), amounts: amounts.isEmpty ? nil : amounts, keepsOpen: $0.parsed.has("--keep-open"),
        key: try $0.key(), details: try $0.details()))
  }

  private static let extend = Verb(
    name: "extend", group: .ledger, summary: "Extend a hold",
    arguments: [.hold],
    options: [Option("--for", "TIME", isRequired: true, help: "Duration from now, for example 90s, 15m, 1h or 30d")]
      + bookingOptions,
    examples: ["gemctl extend 019aa3f2-6c1e-7000-8000-00000a51c7e4 --for 15m"],
    discussion: "A hold ends at most 30 days after its start. An extension never shortens it."
  ) {
    try $0.answerHold(
      .extend(
        try $0.holdID(), for: try $0.duration("--for") ?? .zero, key: try $0.key(), details: try $0.details()))
  }

  private static let release = Verb(
    name: "release", group: .ledger, summary: "Release held currency",
    arguments: [.hold],
    options: bookingOptions,
    examples: ["gemctl release 019aa3f2-6c1e-7000-8000-00000a51c7e4 --reason \"out of stock\""],
    discussion: """
      The currency returns to its lots. Currency that has expired is lost, and currency of a refunded purchase goes to \
      the refund; the output states both.
      """
  ) { try $0.answer(.release(try $0.holdID(), key: try $0.key(), details: try $0.details())) }

  private static let bookingOptions: [Option] = [.key, .reference, .reason, .dryRun]
}

extension Invocation {
  /// The hold that the first argument names.
  fileprivate func holdID() throws(LedgerError) -> HoldID { try holdID(parsed.positionals[0]) }

  /// Books a command about a hold that changes no balance, and prints the hold.
  fileprivate func answerHold(_ command: LedgerCommand) throws(LedgerError) {
    let view = HoldView(try book(command), isDryRun: parsed.isDryRun)
    try print(view.json) { view.text(style: $0) }
  }

  /// The rate of `--rate` and `--rounding`.
  fileprivate func rate() throws(UsageError) -> ExchangeRate {
    let text = parsed.required("--rate")
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { PlainNumber(String($0)) }
    guard parts.count == 2, case .value(let numerator) = parts[0], case .value(let denominator) = parts[1] else {
      throw usageError("--rate takes N/D in plain digits, for example 100/1; got \(text.quotedForPeople)")
    }
    let word = parsed.value("--rounding").flatMap(ExchangeRate.Rounding.Kind.init(rawValue:))
    return ExchangeRate(numerator, for: denominator, rounding: ExchangeRate.Rounding(word ?? .down))
  }
}

extension Argument {
  static func amounts(_ arity: Arity) -> Argument {
    Argument(
      "CODE=AMOUNT", arity: arity, kind: .name(.amounts),
      help: "Currency and amount in plain digits, for example GEM=50")
  }

  fileprivate static let partialAmounts = Argument(
    "CODE=AMOUNT", arity: .zeroOrMore, kind: .name(.amounts),
    help: "Amount of each currency (default: the whole rest)")

  fileprivate static let hold = Argument(
    "HOLD", kind: .name(.holds), help: "Hold id, from \"gemctl hold\" or \"gemctl holds\"")
}
