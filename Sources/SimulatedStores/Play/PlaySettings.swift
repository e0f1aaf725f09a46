internal import GemLedger

/// How a Google Play account pays; like the cards that license testers get, and a cash payment.
public enum PaymentInstrument: String, Hashable, Sendable, CaseIterable {
  /// At once.
  case approves
  /// Never: the customer gives up at the sheet.
  case declines
  /// Pending, and approved after five minutes.
  case slowApproves = "slow_approves"
  /// Pending, and declined after five minutes.
  case slowDeclines = "slow_declines"
  /// Pending until somebody pays in a shop, or not.
  case cash
}

/// Everything about the Play shop that a test can switch.
struct PlaySettings: Sendable {
  var instrument = PaymentInstrument.approves
  var customerCancelsSheets = false
  var omitsOrderIDs = false
  var sendsPurchaseNotices = false
  var storefront = StorefrontCode.unitedStates
  var locale = "en_US"
  var timeRate = TimeRate.realTime
  var simulatedErrors: [StoreAPI: SimulatedError] = [:]
  var productStates: [ByteString: ProductState] = [:]

  func state(of product: String) -> ProductState {
    productStates.isEmpty ? .clearedForSale : productStates[ByteString(product)] ?? .clearedForSale
  }
}

extension PlaySettings {
  func record() -> JSONValue {
    var writer = ShopRecordWriter("settings")
    writer.put("instrument", instrument.rawValue)
    writer.put("customer_cancels", flag: customerCancelsSheets)
    writer.put("omits_order_ids", flag: omitsOrderIDs)
    writer.put("purchase_notices", flag: sendsPurchaseNotices)
    writer.put("storefront", storefront.description)
    writer.put("locale", locale)
    writer.put("time_rate", timeRate.rawValue)
    writer["simulated_errors"] = SettingsRecord.json(simulatedErrors)
    writer["product_states"] = SettingsRecord.json(productStates)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    self.init()
    instrument = try record.word("instrument")
    customerCancelsSheets = record.flag("customer_cancels")
    omitsOrderIDs = record.flag("omits_order_ids")
    sendsPurchaseNotices = record.flag("purchase_notices")
    storefront = try record.storefront("storefront") ?? .unitedStates
    locale = try record.text("locale")
    timeRate = try record.number("time_rate")
    simulatedErrors = try SettingsRecord.errors(record.reader("simulated_errors"))
    productStates = try SettingsRecord.states(record.reader("product_states"))
  }
}
