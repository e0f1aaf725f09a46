package import GemLedger
package import SimulatedStores
package import StoreBackend
internal import XCTest

/// A simulated store with a small catalog, for tests.
package struct SimulatedShop {
  package let clock: VirtualClock
  package let store: SimulatedStore

  package init(
    seed: UInt64 = 7, clock: VirtualClock = VirtualClock(), eventLog: RetainedEventLog? = nil
  ) throws {
    self.clock = clock
    store = try SimulatedStore(
      catalog: Self.catalog(), session: "test", seed: seed, clock: clock, signer: PlainSigner(), eventLog: eventLog)
  }

  package var phone: StoreDevice { store.account("alice").device("phone") }
  package var tablet: StoreDevice { store.account("alice").device("tablet") }

  package static func catalog(gemPrice: String = "2.99", monthlyPrice: String = "5.99") throws -> Catalog {
    let gem = try CurrencyCode("GEM")
    func product(
      _ code: String, _ type: ProductType, price: String, yen: String? = nil, period: String? = nil
    ) throws -> Product {
      var prices = [StorefrontCode.unitedStates: try Price(price, in: StorefrontCode.unitedStates.currency)]
      let japan = try XCTUnwrap(StorefrontCode(exactly: "JPN"))
      if let yen { prices[japan] = try Price(yen, in: japan.currency) }
      return Product(
        code: try ProductCode(code), storeIDs: ["apple": code, "google": code], type: type,
        localizations: [
          Localization(locale: "en_US", title: "\(code) in English", description: "A \(code)"),
          Localization(locale: "ja_JP", title: "\(code) 日本語"),
        ], prices: prices, grants: [Grant(currency: gem, amount: 300)], period: period)
    }
    return try Catalog(
      currencies: [Currency(code: gem, name: "Gems")],
      products: [
        product("gems", .consumable, price: gemPrice, yen: "450"), product("chest", .consumable, price: "49.99"),
        product("vip", .nonConsumable, price: "9.99"), product("pass", .nonRenewingSubscription, price: "4.99"),
        product("monthly", .autoRenewableSubscription, price: monthlyPrice, yen: "900", period: "P1M"),
        product("weekly", .autoRenewableSubscription, price: "1.99", period: "P1W"),
      ], settings: CatalogSettings(bundleID: "com.example.gems"))
  }
}

/// Signs nothing: the receipt names the transaction and when it was signed.
package struct PlainSigner: ReceiptSigner {
  package init() {}

  package func receipt(for transaction: StoreTransaction) -> StoreReceipt {
    StoreReceipt("\(transaction.id)@\(transaction.signedAt.milliseconds)")
  }
}
