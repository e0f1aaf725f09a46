package import GemLedger
package import SimulatedStores
internal import StoreClient

/// The one line of set-up that the snippets need, and its end.
package enum SnippetWorld {
  /// A catalog with three packs of gems, a club that is paid monthly, and a pack of coins.
  package static func catalog() throws -> Catalog {
    try Catalog.load(Array(json.utf8))
  }

  /// A simulated store behind every client that is configured with a key alone; nothing is logged.
  package static func open(_ catalog: Catalog? = nil) throws -> StoreSandbox {
    Purchases.logHandler = { _, _ in }
    return try StoreSandbox.asDefault(try catalog ?? Self.catalog())
  }

  package static func close() {
    Purchases.removeShared()
    StoreClient.defaults = StoreClient.Defaults()
    Purchases.logLevel = .info
  }

  private static let json = """
    {
      "currencies": [{"code": "GEM", "name": "Gems"}, {"code": "COIN", "name": "Coins"}],
      "products": [
        {"code": "gems_300", "store_ids": {"apple": "gems_300"}, "type": "consumable",
         "localizations": [{"locale": "en_US", "title": "300 Gems"}], "prices": {"USA": "2.99"},
         "grants": [{"currency": "GEM", "amount": 300}]},
        {"code": "gems_1200", "store_ids": {"apple": "gems_1200"}, "type": "consumable",
         "localizations": [{"locale": "en_US", "title": "1,200 Gems"}], "prices": {"USA": "9.99"},
         "grants": [{"currency": "GEM", "amount": 1200}]},
        {"code": "club", "store_ids": {"apple": "com.myapp.club"}, "type": "auto_renewable_subscription",
         "period": "P1M", "localizations": [{"locale": "en_US", "title": "Club"}], "prices": {"USA": "4.99"},
         "entitlement": "premium", "grants": []},
        {"code": "coins", "store_ids": {"apple": "com.myapp.coins"}, "type": "consumable",
         "localizations": [{"locale": "en_US", "title": "10 Coins"}], "prices": {"USA": "0.99"},
         "grants": [{"currency": "COIN", "amount": 10}]}
      ],
      "offerings": [
        {"id": "gems", "description": "Packs of gems", "metadata": {"theme": "night", "columns": 2}, "packages": [
          {"id": "small", "product": "gems_300"}, {"id": "medium", "product": "gems_1200"}]},
        {"id": "club", "packages": [{"id": "$rc_monthly", "product": "club"}]}
      ],
      "current_offering": "club",
      "items": [{"id": "extra_life", "name": "Extra life", "price": {"GEM": 50}}]
    }
    """
}
