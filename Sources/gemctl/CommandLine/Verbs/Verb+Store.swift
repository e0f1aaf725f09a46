extension Verb {
  /// Events at the simulated store.
  static let store = [
    approve, decline, storeList, storeResolve, storeRefund, storeReverseRefund, storeRedeliver, storeFault,
    storeSettings, clockAdvance, clock,
  ]

  private static let approve = Verb(
    name: "approve", group: .store, summary: "Approve a purchase that waits for somebody's consent",
    arguments: [.storeTransaction], examples: ["gemctl approve 2000000000000001"],
    discussion: "It is paid for now, and the next client verb credits it."
  ) { try StoreCommands(invocation: $0).approve() }

  private static let decline = Verb(
    name: "decline", group: .store, summary: "Decline a purchase that waits for somebody's consent",
    arguments: [.storeTransaction], examples: ["gemctl decline 2000000000000001"]
  ) { try StoreCommands(invocation: $0).decline() }

  private static let storeList = Verb(
    name: "store list", group: .store, summary: "List the store's transactions, newest first",
    options: [.limit], examples: ["gemctl store list", "gemctl store list --json"]
  ) { try StoreCommands(invocation: $0).list() }

  private static let storeResolve = Verb(
    name: "store resolve", group: .store, summary: "Complete an interrupted purchase or renewal",
    arguments: [.storeTransaction], examples: ["gemctl store resolve 2000000000000001"],
    discussion: """
      The customer did what the App Store asked for: the purchase is paid for now, and the next client verb credits \
      it. "store list" shows such a purchase as interrupted.
      """
  ) { try StoreCommands(invocation: $0).resolve() }

  private static let storeRefund = Verb(
    name: "store refund", group: .store, summary: "Give money back for a purchase, in full or part",
    arguments: [.storeTransaction],
    options: [
      Option(name: "--percent", value: "P", help: "This share of the whole purchase, 1 to 100"),
      Option(name: "--quantity", value: "N", help: "This many units of it"),
    ],
    examples: ["gemctl store refund 2000000000000001", "gemctl store refund 2000000000000001 --percent 50"],
    discussion: """
      What the purchase gave is taken back from its own lot first; what is spent already the currency's refund policy \
      decides. Google Play gives money back by units only, on top of those given back before.
      """
  ) { try StoreCommands(invocation: $0).refund() }

  private static let storeReverseRefund = Verb(
    name: "store reverse-refund", group: .store, summary: "Take a refund back",
    arguments: [.storeTransaction], examples: ["gemctl store reverse-refund 2000000000000001"],
    discussion: "The customer gets back exactly what the refund took. Google Play does not do that."
  ) { try StoreCommands(invocation: $0).reverseRefund() }

  private static let storeRedeliver = Verb(
    name: "store redeliver", group: .store, summary: "Deliver a transaction once more",
    arguments: [.storeTransaction], examples: ["gemctl store redeliver 2000000000000001"],
    discussion: "As the App Store does. It is credited once all the same."
  ) { try StoreCommands(invocation: $0).redeliver() }

  private static let storeFault = Verb(
    name: "store fault", group: .store, summary: "Make the store misbehave, or show how it does",
    arguments: [
      Argument(
        name: "API", arity: .optional, kind: .oneOf(StoreFaultArguments.apis),
        help: "What fails: \(StoreFaultArguments.apis.joined(separator: ", "))"),
      Argument(
        name: "FAILURE", arity: .optional,
        kind: .oneOf(StoreFaultArguments.failures + StoreFaultArguments.effects + [StoreFaultArguments.off]),
        help: "How: a failure (default: networkError), \(StoreFaultArguments.effects.joined(separator: ", ")); "
          + "\"off\" ends the API's faults"),
    ],
    options: [
      Option(name: "--once", help: "The next call only"),
      Option(name: "--nth", value: "N", help: "The N-th call from now only"),
      Option(name: "--times", value: "N", help: "The next N calls only"),
      Option(name: "--chance", value: "P", help: "So many of a hundred calls, at random"),
      Option(name: "--for", value: "TIME", help: "How long a delay is, such as 90s or 15m (default: 1m)"),
      Option(name: "--after-effect", help: "The effect happens and the answer is lost"),
      Option(name: "--clear", help: "End all faults"),
    ],
    examples: [
      "gemctl store fault purchase --once", "gemctl store fault finish networkError",
      "gemctl store fault updates duplicate --chance 20", "gemctl store fault purchase off",
      "gemctl store fault --clear",
    ]
  ) { try StoreCommands(invocation: $0).fault() }

  private static let clock = Verb(
    name: "clock", group: .store, summary: "Show the time of the home", examples: ["gemctl clock"]
  ) { try ClockCommand(invocation: $0).show() }

  private static let clockAdvance = Verb(
    name: "clock advance", group: .store, summary: "Move the time of the home ahead",
    arguments: [Argument(name: "TIME", help: "By how much: such as 90s, 15m, 1h or 31d, at most 366d")],
    examples: ["gemctl clock advance 31d", "gemctl clock advance 15m --json"],
    discussion: """
      Store, client and ledger of the home go on from there. Subscriptions renew on the way, each at its own time; \
      what expired and what met its deadline is booked. Time never goes back: a journal keeps its order. A ledger that \
      --storage names has the machine's time.
      """
  ) { try ClockCommand(invocation: $0).advance() }

  private static let storeSettings = Verb(
    name: "store settings", group: .store, summary: "Show how the store behaves, or change one setting",
    arguments: [
      Argument(
        name: "NAME", arity: .optional, kind: .oneOf(StoreSetting.names),
        help: "The setting: \(StoreSetting.names.joined(separator: ", "))"),
      Argument(
        name: "VALUE", arity: .optional,
        help: "on or off; for time-rate real, or the length of a day, a month or a period, such as month=5m"),
    ],
    examples: [
      "gemctl store settings", "gemctl store settings ask-to-buy on", "gemctl store settings time-rate month=5m",
      "gemctl store settings storefront JPN", "gemctl store settings failing-calls purchase",
    ],
    discussion: """
      These are the switches of Xcode's StoreKit configuration files. A file that "init --storekit" takes sets them \
      at first. A setting holds until it is changed; "store fault" is for what happens once or at random.
      """
  ) { try StoreSettingsCommand(invocation: $0).run() }
}

extension Argument {
  static let storeTransaction = Argument(
    name: "ID", kind: .name(.purchases), help: "The store transaction id, as \"gemctl store list\" shows it")
}
