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
  /// Pending until the customer pays in a shop, or not.
  case cash
}

/// Everything about the Play shop that a test can switch.
@dynamicMemberLookup
struct PlaySettings: ShopSettings {
  var instrument = PaymentInstrument.approves
  var customerCancelsSheets = false
  var omitsOrderIDs = false
  var sendsPurchaseNotices = false
  var common = CommonSettings()
}

extension PlaySettings {
  func record() -> JSONValue {
    var writer = ShopRecordWriter("settings")
    writer.put("instrument", instrument.rawValue)
    writer.put("customer_cancels", flag: customerCancelsSheets)
    writer.put("omits_order_ids", flag: omitsOrderIDs)
    writer.put("purchase_notices", flag: sendsPurchaseNotices)
    common.write(to: &writer)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    self.init()
    instrument = try record["instrument"].word()
    customerCancelsSheets = try record["customer_cancels"].flag()
    omitsOrderIDs = try record["omits_order_ids"].flag()
    sendsPurchaseNotices = try record["purchase_notices"].flag()
    common = try CommonSettings(reading: record)
  }
}
