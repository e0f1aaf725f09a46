package import GemLedger

/// Short ways to the values that tests are full of.
package enum Make {
  package static func customer(_ text: String) throws -> CustomerID { try CustomerID(text) }
  package static func key(_ text: String) throws -> IdempotencyKey { try IdempotencyKey(text) }
  package static func amount(_ code: String, _ amount: Int64) throws -> Adjustment {
    Adjustment(try CurrencyCode(code), amount)
  }

  /// GEM and COIN without bounds, ORE that may reach 1,000, and RUBY of which paid burns first; packs and items.
  ///
  /// A refund of spent RUBY is owed, one of spent ORE freezes, and all others let it go.
  package static func catalog() throws -> Catalog { try Catalog.load(Array(document.utf8)) }
  package static func catalog(replacing text: String, with other: String) throws -> Catalog {
    try Catalog.load(Array(document.replacing(text, with: other).utf8))
  }

  package static func purchase(
    _ id: String, product: String = "gems_1200", quantity: Int64 = 1,
    price: Money? = Money(minorUnits: 999, currency: "USD"),
    store: Store = .apple, environment: StoreEnvironment = .production
  ) throws -> StorePurchase {
    StorePurchase(
      store: store, environment: environment, transactionID: try StoreTransactionID(id),
      product: try ProductCode(product), quantity: quantity, price: price,
      purchasedAt: Timestamp(milliseconds: 1_767_225_600_000))
  }

  /// A refund of the purchase with that id, by dates in seconds.
  package static func refund(
    _ id: String, _ extent: StoreRefund.Extent = .full, revokedAt: Int64 = 100, signedAt: Int64 = 100,
    environment: StoreEnvironment = .production
  ) throws -> StoreRefund {
    StoreRefund(
      store: .apple, environment: environment, transactionID: try StoreTransactionID(id),
      revokedAt: Timestamp(milliseconds: revokedAt * 1000), extent: extent,
      signedAt: Timestamp(milliseconds: signedAt * 1000))
  }

  package static func reversal(
    _ id: String, revokedAt: Int64? = nil, signedAt: Int64 = 200, environment: StoreEnvironment = .production
  ) throws -> StoreRefundReversal {
    StoreRefundReversal(
      store: .apple, environment: environment, transactionID: try StoreTransactionID(id),
      revokedAt: revokedAt.map { Timestamp(milliseconds: $0 * 1000) },
      signedAt: Timestamp(milliseconds: signedAt * 1000))
  }

  private static let document = """
    {
      "currencies": [
        {"code": "GEM", "name": "Gems"}, {"code": "COIN", "name": "Coins"},
        {"code": "ORE", "name": "Ore", "maximum_balance": 1000, "refund_policy": "freeze"},
        {"code": "RUBY", "name": "Rubies", "burn_order": "paid_first", "refund_policy": "debt"}
      ],
      "products": [
        {"code": "gems_1200", "type": "consumable", "grants": [{"currency": "GEM", "amount": 1200}]},
        {"code": "rubies", "type": "consumable", "grants": [{"currency": "RUBY", "amount": 100, "bonus": 20}]},
        {"code": "ore_pack", "type": "consumable", "grants": [{"currency": "ORE", "amount": 900}]},
        {"code": "bundle", "type": "consumable",
         "grants": [{"currency": "GEM", "amount": 500}, {"currency": "COIN", "amount": 300, "bonus": 30}],
         "item_grants": [{"item": "sword", "quantity": 2}]},
        {"code": "chest", "type": "consumable",
         "item_grants": [{"item": "sword", "quantity": 1}, {"item": "extra_life", "quantity": 2}]},
        {"code": "starter", "type": "non_consumable", "item_grants": [{"item": "sword", "quantity": 1}]}
      ],
      "items": [
        {"id": "extra_life", "name": "Extra life", "price": {"GEM": 50}},
        {"id": "sword", "name": "Sword", "price": {"GEM": 100, "COIN": 10}, "limit": 3},
        {"id": "medal", "name": "Medal", "price": {}, "available": false}
      ]
    }
    """
}

extension LedgerCommand {
  /// Makes the customer if need be, and registers one token.
  package static func registerToken(_ token: TokenNumber, customer: CustomerID) -> Self {
    .createCustomer(customer, tokens: [token])
  }
}
