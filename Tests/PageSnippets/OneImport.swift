import StoreClient

// Code with the core's one import, without Foundation: all that its calls mention comes along.

/// A shop that is written in two steps, with checked values.
struct OneImportShop {
  let client: StoreClient

  func spend(_ code: String, _ amount: Int64, key: String) async throws(LedgerError) -> [Int64] {
    let currency = try CurrencyCode(code)
    let booking: Booking = try await client.spend([Adjustment(currency, amount)], key: IdempotencyKey(key))
    return booking.entries.filter { $0.currency == currency }.map(\.balance)
  }

  func buy(_ id: String) async throws(LedgerError) -> Int64 {
    let item: Item? = try await client.items().first { $0.id.text == id }
    guard let item else { return 0 }
    let booking = try await client.buyItem(item.id, key: IdempotencyKey.timeOrdered())
    return booking.items.first?.owned ?? 0
  }

  func order(_ productID: String) async throws(LedgerError) -> (Order.Status?, PurchaseCode?) {
    let price = try await client.offerings().products.first { $0.storeID == productID }?.unitPrice
    let money = price.map { Money(minorUnits: $0.minorUnits, currency: $0.currency.code) }
    let context = OrderContext(roleID: "char-12345", serverID: "server-01")
    let outcome = try await client.purchase(
      order: PurchaseOrder(productID: productID, price: money, context: context, key: "order-1"))
    return (outcome.order?.status, outcome.order?.code)
  }
}

// ten-minutes: backend
/// A backend of one's own: a customer with 42 gems.
struct FortyTwoGems: BackendDecorator {
  let decorated: any PurchaseBackend

  func balances(of customer: CustomerID) async throws(LedgerError) -> [Balance] {
    [Balance(try CurrencyCode("GEM"), name: "Gems", balance: 42)]
  }
}
// ten-minutes: end
