#if Server
public import GemLedger
public import StoreBackend

// The shop, receipts, orders and spends.
extension HTTPBackend {
  /// As `PurchaseBackend.offerings(for:)`.
  public func offerings(for app: AppPlatform) async throws(LedgerError) -> OfferingsSnapshot {
    // The shop is equal for all customers; the path is RevenueCat's, and names a customer.
    let customer = CustomerID(unchecked: "$shop")
    let query = [
      (name: "store", value: app.store.description), (name: "storefront", value: app.storefront.description),
      (name: "locale", value: app.locale),
    ]
    return try await answer(to: .get("subscribers", customer.text, "offerings", customer: customer, query: query)) {
      (wire) throws(LedgerError) in try wire["catalog"].read()
    }
  }

  /// As `PurchaseBackend.post(_:)`.
  public func post(_ post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await answer(to: .post("receipts", customer: post.customer, body: post.wire)) { (wire) throws(LedgerError) in
      try wire["receipt"].read()
    }
  }

  /// As `PurchaseBackend.initPayment(_:)`; needs a session token if the product costs virtual currency.
  public func initPayment(_ request: OrderRequest) async throws(LedgerError) -> Order {
    try await answer(to: .post("orders", customer: request.customer, body: request.wire)) {
      (wire) throws(LedgerError) in try wire["order"].read()
    }
  }

  /// As `PurchaseBackend.completePayment(_:post:)`.
  public func completePayment(_ code: PurchaseCode, post: ReceiptPost) async throws(LedgerError) -> ReceiptAnswer {
    try await answer(to: .post("orders", code.text, "complete", customer: post.customer, body: post.wire)) {
      (wire) throws(LedgerError) in try wire["receipt"].read()
    }
  }

  /// As `PurchaseBackend.payment(of:customer:)`.
  public func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer? {
    try await answer(
      to: .get("orders", code.text, "payment", customer: customer, query: [("app_user_id", customer.text)])
    ) { (wire) throws(LedgerError) in try wire["receipt"].optional?.read() }
  }

  /// As `PurchaseBackend.cancelPayment(_:)`.
  public func cancelPayment(_ code: PurchaseCode) async throws(LedgerError) -> Order {
    // The code is the proof: only the caller that opened the order has it.
    let nobody = CustomerID(unchecked: "$order")
    return try await answer(to: .post("orders", code.text, "cancel", customer: nobody)) { (wire) throws(LedgerError) in
      try wire["order"].read()
    }
  }

  /// As `PurchaseBackend.announcedOrders(of:page:size:)`; needs a session token.
  public func announcedOrders(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [Order] {
    try await answer(
      to: .get("subscribers", customer.text, "orders", customer: customer, query: Self.paging(page, size))
    ) { (wire) throws(LedgerError) in try wire["orders"].values() }
  }

  /// As `PurchaseBackend.spend(_:customer:key:)`; needs a session token.
  public func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Booking {
    // The request contains each currency once and accepts amounts of either sign, so other spends are refused here.
    _ = try LedgerCommand.spend(amounts, customer: customer, key: key)
    try RequestRules.refuseRepeatedCodes(amounts)
    let body: JSONObject = [
      "amounts": JSONValue(amounts: amounts.map { CurrencyAmount(currency: $0.currency, amount: $0.amount) })
    ]
    return try await answer(
      to: .spend("customer", "virtual_currencies", "spend", customer: customer, key: key, body: body)
    ) { (wire) throws(LedgerError) in try wire["booking"].read() }
  }

  /// As `PurchaseBackend.buyItem(_:quantity:customer:key:)`; needs a session token.
  public func buyItem(
    _ item: ItemID, quantity: Int64, customer: CustomerID, key: IdempotencyKey
  ) async throws(LedgerError) -> Booking {
    try await answer(
      to: .spend(
        "customer", "items", "buy", customer: customer, key: key,
        body: ["item_id": .string(item.text), "quantity": .integer(quantity)])
    ) { (wire) throws(LedgerError) in try wire["booking"].read() }
  }
}
#endif
