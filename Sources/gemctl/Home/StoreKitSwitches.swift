import GemLedger

/// The switches of a `.storekit` file as a home keeps them for its store's first start.
enum StoreKitSwitches {
  typealias Switches = StoreKitConfiguration.Switches

  private static let flags: [(name: String, path: any WritableKeyPath<Switches, Bool> & Sendable)] = [
    ("ask_to_buy", \.askToBuyEnabled), ("interrupted_purchases", \.interruptedPurchasesEnabled),
    ("fail_transactions", \.failTransactionsEnabled), ("grace_period", \.billingGracePeriodIsEnabled),
    ("billing_retry", \.shouldEnterBillingRetryOnRenewal),
  ]

  /// Returns the switches that differ from the default; nil if none does.
  static func json(_ switches: Switches) -> JSONValue? {
    guard switches != Switches() else { return nil }
    var object = JSONObject()
    for flag in flags where switches[keyPath: flag.path] { object[flag.name] = true }
    object["disable_dialogs"] = switches.disableDialogs.map(JSONValue.bool)
    object["time_rate"] = switches.timeRate.map(JSONValue.integer)
    if !switches.failingCalls.isEmpty {
      object["failing_calls"] = .array(switches.failingCalls.map(JSONValue.string))
    }
    return .object(object)
  }

  /// Reads the switches; a missing switch has its default.
  static func read(_ json: JSONValue?) -> Switches {
    var switches = Switches()
    for flag in flags { switches[keyPath: flag.path] = json?[flag.name]?.bool ?? false }
    switches.disableDialogs = json?["disable_dialogs"]?.bool
    switches.timeRate = json?["time_rate"]?.integer
    switches.failingCalls = json?["failing_calls"]?.array?.compactMap(\.text) ?? []
    return switches
  }

  /// A sentence for every switch that changes how purchases go.
  static func notes(_ switches: Switches) -> [String] {
    let sentences = [
      (switches.askToBuyEnabled, "Ask to Buy is on: purchases wait for \"gemctl approve\"."),
      (
        switches.interruptedPurchasesEnabled,
        "Purchases are interrupted: \"gemctl store resolve\" completes each of them."
      ),
      (switches.failTransactionsEnabled, "Purchases fail."),
      (switches.shouldEnterBillingRetryOnRenewal, "Renewals cannot be paid for."),
      (switches.billingGracePeriodIsEnabled, "A subscription that cannot be renewed runs on for its grace period."),
    ]
    let on = sentences.filter(\.0).map(\.1)
    guard !on.isEmpty || !switches.failingCalls.isEmpty || switches.timeRate ?? 0 != 0 else { return [] }
    return on + ["The file's test switches are in force: \"gemctl store settings\" shows and changes them."]
  }
}
