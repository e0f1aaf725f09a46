internal import GemLedger

/// The settings that both kinds of shop have.
struct CommonSettings: Sendable {
  var storefront = StorefrontCode.unitedStates
  var locale = "en_US"
  var timeRate = TimeRate.realTime
  var simulatedErrors: [StoreAPI: SimulatedError] = [:]
  var productStates: [ByteString: ProductState] = [:]

  init() {}

  func state(of product: String) -> ProductState {
    productStates.isEmpty ? .clearedForSale : productStates[ByteString(product)] ?? .clearedForSale
  }

  /// Adds them to a record of settings.
  func write(to writer: inout ShopRecordWriter) {
    writer.put("storefront", storefront.description)
    writer.put("locale", locale)
    writer.put("time_rate", timeRate.rawValue)
    writer["simulated_errors"] = SettingsRecord.json(simulatedErrors)
    writer["product_states"] = SettingsRecord.json(productStates)
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    storefront = try record.storefront("storefront") ?? .unitedStates
    locale = try record.text("locale")
    timeRate = try record.number("time_rate")
    simulatedErrors = try SettingsRecord.errors(record.reader("simulated_errors"))
    productStates = try SettingsRecord.states(record.reader("product_states"))
  }
}

/// Everything about a shop that a test can switch.
protocol ShopSettings: Sendable {
  var common: CommonSettings { get set }
}

extension ShopSettings {
  /// The common settings count as members of the shop's own.
  subscript<Value>(dynamicMember path: WritableKeyPath<CommonSettings, Value>) -> Value {
    get { common[keyPath: path] }
    set { common[keyPath: path] = newValue }
  }

  func state(of product: String) -> ProductState { common.state(of: product) }
}
