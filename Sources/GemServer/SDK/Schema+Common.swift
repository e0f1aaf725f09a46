#if Server
internal import GemLedger
internal import StoreBackend

extension Schema {
  static let instant = Schema.integer()
  static let customerID = Schema.text(1...1500)
  /// An app user id in a request; refuses texts that apps send if they have no id.
  static let appUserID = stating(
    ["not": ["enum": .array(CustomerID.unsetTexts.sorted().map(JSONValue.string))]],
    .text(1...1500, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f/]+$"))
  static let catalogID = Schema.text(1...255)
  static let storeTransactionID = Schema.text(1...4096)
  static let purchaseCode = Schema.text(1...64)
  static let store = Schema.word(Store.all.map(\.description))
  static let amounts = Schema.map(.integer())
  static let storefront = Schema.stating(
    ["enum": .array(StorefrontCode.all.map { .string($0.description) })], .text(3...3))

  /// A map from currency codes to values.
  static func byCurrency(_ value: Schema, _ bounds: ClosedRange<Int> = 0...10_000) -> Schema {
    .stating(["propertyNames": ["pattern": "^[a-zA-Z0-9_]{1,10}$"]], .map(value, bounds))
  }

  static let balancesByCode = Schema.map(Balance.schema)
}
#endif
