#if Server
internal import GemLedger
internal import StoreBackend

// The forms in which `HTTPBackend` reads and writes values; each matches the value's `wire`.

extension Schema.Field {
  /// A member that is always present in an answer.
  static func always(_ name: String, _ schema: Schema, _ help: String = "") -> Self {
    Self(name, schema, help, isRequired: true)
  }
}

extension Schema {
  static let instant = Schema.integer()
  static let customerID = Schema.text(1...1500)
  /// An app user id in a request; refuses texts that apps send if they have no id.
  static let appUserID = stating(
    ["not": ["enum": .array(CustomerID.unsetTexts.sorted().map(JSONValue.string))]],
    .text(1...1500, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f/]+$"))
  static let catalogID = Schema.text(1...255)
  static let currencyCode = Schema.text(1...10, pattern: "^[a-zA-Z0-9_]+$")
  static let storeTransactionID = Schema.text(1...4096)
  static let transactionID = Schema.text(36...36)
  static let purchaseCode = Schema.text(1...64)
  static let store = Schema.word(Store.all.map(\.description))
  static let amounts = Schema.map(.integer())
  static let storefront = Schema.stating(
    ["enum": .array(StorefrontCode.all.map { .string($0.description) })], .text(3...3))

  /// A map from currency codes to values.
  static func byCurrency(_ value: Schema, _ bounds: ClosedRange<Int> = 0...10_000) -> Schema {
    .stating(["propertyNames": ["pattern": "^[a-zA-Z0-9_]{1,10}$"]], .map(value, bounds))
  }
}

// Bookings.
extension Schema {
  static let postedEntry = Schema.object([
    .always("currency", .currencyCode), .always("kind", .word(EntryKind.allCases.map(\.name)), "The entry's kind."),
    .always("amount", .integer(), "Negative for a spend."),
    .always("balance", .integer(), "The balance after it, held amounts included."),
    .always("debt", .integer(), "The customer's debt after it."),
    .always("version", .integer(), "The number of entries of the account, including this entry."),
    .always("lots", .list(allocation), "The lots that it took from or added to."),
  ])

  private static let allocation = Schema.object([
    .always("lot", .integer(), "The lot's number."), .always("source", .word(LotSource.allCases.map(\.name))),
    .always("amount", .integer(), "Negative when taken from the lot."),
  ])

  static let postedItem = Schema.object([
    .always("item_id", .catalogID), .always("quantity", .integer(), "Negative for removed items."),
    .always("owned", .integer(), "The number that the customer owns afterwards."),
  ])

  static let booking = Schema.object([
    .always("transaction_id", .nullable(.transactionID)), .always("customer_id", .customerID),
    .always("kind", .word(EntryKind.allCases.map(\.name))), .always("created_at", .instant),
    .always("entries", .list(postedEntry)), .always("items", .list(postedItem)),
    .always("replayed", .boolean, "Whether this is the answer of an earlier call."),
    .always("over_maximum", .boolean, "Whether a paid credit passed the currency's maximum."),
    .always("awaiting_purchase", .boolean), .always("completes_order", .boolean), .always("hold", .nullable(hold)),
    .always("reversed_transaction_id", .nullable(.transactionID)), .always("expired", .amounts),
    .always("reclaimed", .amounts), .always("parties", .list(party), "Other customers in the transaction."),
  ])

  private static let hold = Schema.object([
    .always("hold_id", .nullable(.transactionID)), .always("amounts", .amounts, "The amounts still on hold."),
    .always("expires_at", .nullable(.instant)), .always("balances", .amounts), .always("available", .amounts),
  ])

  private static let party = Schema.object([
    .always("customer_id", .customerID), .always("transaction_id", .nullable(.transactionID)),
    .always("entries", .list(postedEntry)), .always("items", .list(postedItem)),
  ])

  /// A balance in RevenueCat's form, with this project's additional members.
  static let wireBalance = Schema.object([
    .always("balance", .integer(), "The spendable amount."), .always("code", .currencyCode),
    .always("name", .text()), .always("description", .nullable(.text())),
    .always("held", .integer(), "The amount on hold."), .always("debt", .integer()),
    .always("version", .integer(), "The number of entries of the account."),
    Field(
      "exact_balance", .integer(),
      "The balance without the 32-bit limit of RevenueCat's SDK for Android; only if \"balance\" is limited."),
  ])

  static let balancesByCode = Schema.map(wireBalance)
}

// Purchases and customers.
extension Schema {
  static let money = Schema.object([
    .always("minor_units", .integer(), "Cents for USD, whole yen for JPY."),
    .always("currency", .text(), "ISO 4217."),
  ])

  static let orderContext = Schema.object(
    ["game_id", "role_id", "role_name", "server_id", "recharge_type", "extra_data"].map {
      Field($0, .nullable(.text()))
    })

  static let orderStatus = Schema.word(Order.Status.allCases.map(\.rawValue))

  private static let announcement = Schema.object([
    .always("purchase_code", .purchaseCode), .always("status", orderStatus), .always("context", orderContext),
    .always("bundle_id", .text()), .always("created_at", .instant), .always("updated_at", .instant),
  ])

  static let purchase = Schema.object([
    .always("store", .store), .always("store_transaction_id", .storeTransactionID),
    .always("original_store_transaction_id", .storeTransactionID), .always("transaction_id", .transactionID),
    .always("product", .catalogID), .always("product_type", .word(ProductType.Kind.allCases.map(\.rawValue))),
    .always("store_product_id", .nullable(.text())), .always("quantity", .integer()),
    .always("price", .nullable(money)), .always("purchased_at", .instant), .always("expires_at", .nullable(.instant)),
    .always("refunded_milli_percent", .integer(0...100_000), "In thousandths of a percent."),
    .always("sandbox", .boolean), .always("announcement", .nullable(announcement), "The order that it paid for."),
  ])

  static let entitlement = Schema.object([
    .always("id", .text()), .always("product", .catalogID), .always("store", .store),
    .always("purchased_at", .instant), .always("expires_at", .nullable(.instant)), .always("active", .boolean),
  ])

  static let customerRecord = Schema.object([
    .always("customer_id", .customerID), .always("original_id", .customerID), .always("ids", .list(.customerID)),
    .always("first_seen_at", .instant), .always("as_of", .instant), .always("entitlements", .list(entitlement)),
    .always("non_subscriptions", .list(purchase), "The newest 100."),
  ])

  static let registration = Schema.object([.always("customer_id", .customerID), .always("created", .boolean)])

  private static let merge = Schema.object([
    .always("from", .list(.customerID)), .always("into", .list(.customerID)), .always("balances", .list(wireBalance)),
    .always("items", .list(postedItem)),
  ])

  static let identityPreview = Schema.object([
    .always("customer_id", .customerID), .always("created", .boolean), .always("merges", .list(merge)),
    .always("moved_entitlements", .list(.storeTransactionID)), .always("uncredited", .list(.storeTransactionID)),
  ])
}

// Orders and receipts.
extension Schema {
  private static let paidTransaction = Schema.object([
    .always("environment", .word(["production", "sandbox", "xcode", "local_testing"])),
    Field("session", .nullable(.text(1...255)), "The test session, for xcode and local_testing."),
    .always("store_transaction_id", .storeTransactionID),
  ])

  static let orderRequest = Schema.object([
    .always("app_user_id", .customerID, "The buyer."), .always("product", .catalogID),
    Field("quantity", .integer(), "1 by default."), .always("store", .store),
    .always("bundle_id", .text(), "The app."),
    Field("price", .nullable(money), "The price of all units as shown by the app, to be checked."),
    Field("context", .nullable(orderContext), "Carried through to history and delivery; at most 8 KiB."),
    Field("key", .nullable(.text(1...255)), "The same request under the same key is one order."),
    Field("claim", .nullable(.text()), "The client that means to pay; at most 100 bytes."),
    Field("paid_by", .nullable(paidTransaction), "The store transaction that has paid for it already."),
  ])

  static let order = Schema.object([
    .always("purchase_code", .purchaseCode), .always("request", orderRequest), .always("costs", .amounts),
    .always("status", orderStatus), .always("store_product_id", .nullable(.text())),
    .always("store_transaction_id", .nullable(.storeTransactionID)),
    .always("original_store_transaction_id", .nullable(.storeTransactionID)),
    .always("paid_price", .nullable(money), "For all units."), .always("created_at", .instant),
    .always("updated_at", .instant), .always("deadline", .instant), .always("delivery_attempts", .integer()),
    .always("next_delivery_at", .nullable(.instant)), .always("replayed", .boolean),
  ])

  /// An error with its facts, from which a client can reconstruct the error.
  static let wireError = Schema.object([
    .always("code", .text(1...100)), .always("message", .text()), .always("details", .map(.anything)),
    .always("replayed", .boolean, "Whether it is the answer of an earlier call."),
  ])

  private static let orderHold = Schema.object([
    .always("state", .word(["held", "released", "spent", "unpaid"])), Field("booking", booking),
    Field("error", wireError),
  ])

  static let receiptAnswer = Schema.object([
    .always("booking", booking), .always("purchase", purchase), .always("order", .nullable(order)),
    .always("held", .nullable(orderHold), "The order's price in virtual currency, in addition to its price in money."),
    .always("entitlement", .nullable(entitlement)),
    .always("other_purchases", .list(purchase), "The other products of the same payment, each credited too."),
    .always("request_id", .text()),
  ])
}
#endif
