import GemLedger
import SimulatedStores

extension Verb {
  /// Events at the simulated store.
  static let store = [
    approve, decline, storeList, storeResolve, storeRefund, storeReverseRefund, storeRedeliver, storeFault,
    storeSettings, clockAdvance, clock,
  ]

  private static let approve = Verb(
    name: "approve", group: .store, summary: "Approve a pending purchase",
    arguments: [.storeTransaction], examples: ["gemctl approve 2000000000000001"],
    discussion: "This pays for the purchase; the next client verb credits it."
  ) {
    try StoreCommands(invocation: $0).act { (session, id) throws(LedgerError) in try session.store.approve(id) }
  }

  private static let decline = Verb(
    name: "decline", group: .store, summary: "Decline a pending purchase",
    arguments: [.storeTransaction], examples: ["gemctl decline 2000000000000001"]
  ) {
    try StoreCommands(invocation: $0).act { (session, id) throws(LedgerError) in try session.store.decline(id) }
  }

  private static let storeList = Verb(
    name: "store list", group: .store, summary: "List the store's transactions, newest first",
    options: [.limit], examples: ["gemctl store list", "gemctl store list --json"]
  ) { try StoreCommands(invocation: $0).list() }

  private static let storeResolve = Verb(
    name: "store resolve", group: .store, summary: "Complete an interrupted purchase or renewal",
    arguments: [.storeTransaction], examples: ["gemctl store resolve 2000000000000001"],
    discussion: """
      This pays for the purchase, as if the customer had done the action that the App Store asked for. The next \
      client verb credits it. "store list" shows such purchases as interrupted.
      """
  ) {
    try StoreCommands(invocation: $0).act { (session, id) throws(LedgerError) in try session.store.resolve(id) }
  }

  private static let storeRefund = Verb(
    name: "store refund", group: .store, summary: "Refund a purchase, in full or in part",
    arguments: [.storeTransaction],
    options: [
      Option("--percent", "P", help: "Refund this share of the whole purchase, 1 to 100 (default: all)"),
      Option("--quantity", "N", help: "Refund this number of units (default: all)"),
    ],
    examples: ["gemctl store refund 2000000000000001", "gemctl store refund 2000000000000001 --percent 50"],
    discussion: """
      The refund first takes from the purchase's lot. For spent currency the currency's refund policy applies. \
      Google Play refunds whole units only, in addition to earlier refunds.
      """
  ) { try StoreCommands(invocation: $0).refund() }

  private static let storeReverseRefund = Verb(
    name: "store reverse-refund", group: .store, summary: "Reverse a refund",
    arguments: [.storeTransaction], examples: ["gemctl store reverse-refund 2000000000000001"],
    discussion: "The customer gets back exactly the amounts that the refund took. Google Play does not support this."
  ) {
    try StoreCommands(invocation: $0).act { (session, id) throws(LedgerError) in try session.store.reverseRefund(id) }
  }

  private static let storeRedeliver = Verb(
    name: "store redeliver", group: .store, summary: "Deliver a transaction again",
    arguments: [.storeTransaction], examples: ["gemctl store redeliver 2000000000000001"],
    discussion: "The App Store does this too. The transaction is still credited once."
  ) {
    try StoreCommands(invocation: $0).act { (session, id) throws(LedgerError) in try session.store.redeliver(id) }
  }

  private static let storeFault = Verb(
    name: "store fault", group: .store, summary: "Inject faults into the store, or list them",
    arguments: [
      Argument(
        "API", arity: .optional, kind: .oneOf(StoreFaultArguments.apis),
        help: "Store API that fails: \(StoreFaultArguments.apis.joined(separator: ", "))"),
      Argument(
        "FAILURE", arity: .optional,
        kind: .oneOf(StoreFaultArguments.failures + StoreFaultArguments.effects + [StoreFaultArguments.off]),
        help: "Failure, \(StoreFaultArguments.effects.joined(separator: ", ")), or \"off\" to end the API's faults "
          + "(default: networkError)"),
    ],
    options: [
      Option("--once", help: "Affect the next call only"),
      Option("--nth", "N", help: "Affect the N-th call from now only"),
      Option("--times", "N", help: "Affect the next N calls only"),
      Option("--chance", "P", help: "Affect P percent of the calls, at random"),
      Option("--for", "TIME", help: "Length of a delay, for example 90s or 15m (default: 1m)"),
      Option("--after-effect", help: "Lose the answer after the call took effect"),
      Option("--clear", help: "End all faults"),
    ],
    examples: [
      "gemctl store fault finish networkError --once", "gemctl store fault updates duplicate --chance 20",
      "gemctl store fault purchase off",
    ]
  ) { try StoreCommands(invocation: $0).fault() }

  private static let clock = Verb(
    name: "clock", group: .store, summary: "Show the time of the home", examples: ["gemctl clock"]
  ) { try ClockCommand(invocation: $0).show() }

  private static let clockAdvance = Verb(
    name: "clock advance", group: .store, summary: "Advance the time of the home",
    arguments: [Argument("TIME", help: "Duration, for example 90s, 15m, 1h or 31d, at most 366d")],
    examples: ["gemctl clock advance 31d", "gemctl clock advance 15m --json"],
    discussion: """
      It books the renewals, expiries and deadlines up to the new time, each at its due time. The time of a home \
      cannot go back, because the journal is in order of time. A ledger of --storage always has the machine's time.
      """
  ) { try ClockCommand(invocation: $0).advance() }

  private static let storeSettings = Verb(
    name: "store settings", group: .store, summary: "Show the store's settings, or change a setting",
    arguments: [
      Argument(
        "NAME", arity: .optional, kind: .oneOf(StoreSetting.names),
        help: "Setting: \(StoreSetting.names.joined(separator: ", "))"),
      Argument(
        "VALUE", arity: .optional,
        help: "on or off; for time-rate \"real\" or the length of a day, a month or a period, for example month=5m"),
    ],
    examples: [
      "gemctl store settings", "gemctl store settings ask-to-buy on", "gemctl store settings time-rate month=5m",
    ],
    discussion: """
      These are the settings of Xcode's StoreKit configuration files; "init --storekit" imports them. A setting holds \
      until it is changed. For faults that occur once or at random, use "store fault".
      """
  ) { try StoreSettingsCommand(invocation: $0).run() }
}

extension Argument {
  static let storeTransaction = Argument(
    "ID", kind: .name(.purchases), help: "Store transaction id, from \"gemctl store list\"")
}
