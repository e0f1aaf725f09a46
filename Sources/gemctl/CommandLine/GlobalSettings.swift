/// The values of the global options and the environment; an option wins over its variable.
struct GlobalSettings: Hashable, Sendable {
  /// The default home.
  static let defaultHome = ".gemctl"

  /// The variables that are read.
  static let variables = ["GEMCTL_HOME", "GEMCTL_STORAGE", "GEMCTL_CUSTOMER", "GEMCTL_DELIVER"]

  let home: String
  /// The storage URL of the ledger; nil for the home's file.
  let storage: String?
  /// The customer of the command; nil means the signed-in customer.
  let customer: String?
  /// The shell command that delivers a paid order; nil means that nothing is delivered.
  let deliver: String?
  let device: String?
  let storeAccount: String?
  let isJSON: Bool
  /// Whether the operator has looked at the machine's clock.
  let acceptsClock: Bool

  /// Reads the variables and the options; an empty variable counts as unset.
  init(_ parsed: Parsed, environment: (String) throws(UsageError) -> String?) throws(UsageError) {
    func setting(_ option: String, _ variable: String) throws(UsageError) -> String? {
      let value = try environment(variable)
      return parsed.value(option) ?? (value == "" ? nil : value)
    }
    home = try setting("--home", "GEMCTL_HOME") ?? Self.defaultHome
    storage = try setting("--storage", "GEMCTL_STORAGE")
    customer = try setting("--customer", "GEMCTL_CUSTOMER")
    deliver = try setting("--deliver", "GEMCTL_DELIVER")
    device = parsed.value("--device")
    storeAccount = parsed.value("--store-account")
    isJSON = parsed.isJSON
    acceptsClock = parsed.has("--accept-clock")
  }
}
