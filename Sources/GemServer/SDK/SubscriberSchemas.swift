#if Server
internal import GemLedger
internal import StoreBackend

// RevenueCat's customer info of API v1, in the form that its SDKs read.
extension Schema {
  /// A time such as `2026-11-21T09:30:00Z`.
  private static let date = Schema.text(20...30)

  private static let subscription = Schema.object([
    .always("expires_date", .nullable(date)), .always("purchase_date", date),
    .always("original_purchase_date", date), .always("store", .text()), .always("is_sandbox", .boolean),
    .always("ownership_type", .word(["PURCHASED", "FAMILY_SHARED"])),
    .always("period_type", .word(["normal", "trial", "intro"])),
    .always("store_transaction_id", .storeTransactionID), .always("unsubscribe_detected_at", .nullable(date)),
    .always("billing_issues_detected_at", .nullable(date)), .always("grace_period_expires_date", .nullable(date)),
    .always("refunded_at", .nullable(date)), .always("auto_resume_date", .nullable(date)),
  ])

  private static let nonSubscription = Schema.object([
    .always("id", .transactionID, "The ledger's id of the credit."),
    .always("store_transaction_id", .storeTransactionID), .always("purchase_date", date),
    .always("original_purchase_date", date), .always("store", .text()), .always("is_sandbox", .boolean),
  ])

  private static let subscriberEntitlement = Schema.object([
    .always("expires_date", .nullable(date)), .always("grace_period_expires_date", .nullable(date)),
    .always("product_identifier", .text()), .always("purchase_date", date),
  ])

  private static let subscriber = Schema.object([
    .always("original_app_user_id", .customerID), .always("first_seen", date), .always("last_seen", date),
    .always("original_application_version", .nullable(.text())), .always("original_purchase_date", .nullable(date)),
    .always("management_url", .nullable(.text())), .always("entitlements", .map(subscriberEntitlement)),
    .always("subscriptions", .map(subscription), "The newest period of each product."),
    .always("non_subscriptions", .map(.list(nonSubscription))), .always("other_purchases", .map(.anything)),
    Field("subscriber_attributes", .map(.anything), "By name; for secret keys only."),
  ])

  /// The members of every answer that contains customer info.
  static let customerInfoFields: [Field] = [
    .always("request_date", date), .always("request_date_ms", .instant), .always("subscriber", subscriber),
    .always("customer", CustomerRecord.schema, "The same in this project's form."),
  ]

  static let customerInfo = Schema.object(customerInfoFields)
}
#endif
