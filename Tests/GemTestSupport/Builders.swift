package import GemLedger

/// Short ways to the values that tests are full of.
package enum Make {
  package static func customer(_ text: String) throws -> CustomerID { try CustomerID(text) }
  package static func key(_ text: String) throws -> IdempotencyKey { try IdempotencyKey(text) }
  package static func amount(_ code: String, _ amount: Int64) throws -> Adjustment {
    Adjustment(try CurrencyCode(code), amount)
  }

  /// GEM and COIN without bounds, ORE that may reach 1,000, and RUBY of which paid burns first; packs and items.
  package static func catalog() throws -> Catalog { try Catalog.load(Array(document.utf8)) }

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

  private static let document = """
    {
      "currencies": [
        {"code": "GEM", "name": "Gems"}, {"code": "COIN", "name": "Coins"},
        {"code": "ORE", "name": "Ore", "maximum_balance": 1000},
        {"code": "RUBY", "name": "Rubies", "burn_order": "paid_first"}
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
