internal import GemLedger

/// The settings that both kinds of shop have.
struct CommonSettings: Sendable {
  var storefront = StorefrontCode.unitedStates
  var locale = "en_US"
  var timeRate = TimeRate.realTime
  var simulatedErrors: [StoreAPI: SimulatedError] = [:]
  var productStates: [ByteString: ProductState] = [:]
  var offerCodes: [ByteString: OfferCode] = [:]
  /// The prices that override the catalog's prices, by product and storefront.
  var prices: [ByteString: [StorefrontCode: Price]] = [:]

  init() {}

  func state(of product: String) -> ProductState {
    productStates.isEmpty ? .clearedForSale : productStates[ByteString(product)] ?? .clearedForSale
  }

  /// Returns the price of one unit now.
  func charge(for product: Product, _ id: String) -> Price? {
    let own = prices.isEmpty ? nil : prices[ByteString(id)]?[storefront]
    return own ?? product.discountPrices[storefront] ?? product.prices[storefront]
  }

  /// Adds them to a record of settings.
  func write(to writer: inout ShopRecordWriter) {
    writer.put("storefront", storefront.description)
    writer.put("locale", locale)
    writer.put("time_rate", timeRate.rawValue)
    writer["simulated_errors"] = SettingsRecord.json(simulatedErrors)
    writer["product_states"] = SettingsRecord.json(productStates)
    writer["offer_codes"] = SettingsRecord.object(offerCodes.map { ($0.text, $1.record()) })
    writer["prices"] = SettingsRecord.json(prices)
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    storefront = try record["storefront"].optional?.storefront() ?? .unitedStates
    locale = try record["locale"].text()
    timeRate = try record["time_rate"].number()
    simulatedErrors = try SettingsRecord.errors(record["simulated_errors"])
    productStates = try SettingsRecord.states(record["product_states"])
    // Stores of earlier versions have neither.
    offerCodes = try record["offer_codes"].optional.map(SettingsRecord.offerCodes) ?? [:]
    prices = try record["prices"].optional.map(SettingsRecord.prices) ?? [:]
  }
}

/// Everything about a shop that a test can switch.
protocol ShopSettings: Sendable {
  var common: CommonSettings { get set }
}

extension ShopSettings {
  /// Gives access to the common settings as if they were members of the shop's settings.
  subscript<Value>(dynamicMember path: WritableKeyPath<CommonSettings, Value>) -> Value {
    get { common[keyPath: path] }
    set { common[keyPath: path] = newValue }
  }

  func state(of product: String) -> ProductState { common.state(of: product) }
}
