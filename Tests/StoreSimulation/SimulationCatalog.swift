internal import GemLedger

/// The products of the simulated shop, one for each way of crediting.
struct SimulationCatalog: Sendable {
  let gem: CurrencyCode
  let coin: CurrencyCode
  let ticket: CurrencyCode

  static let consumables = ["gems_300", "gems_1200", "gems_bonus", "coins"]
  static let subscription = "club"
  static let nonConsumable = "premium"

  init() throws(LedgerError) {
    gem = try CurrencyCode("GEM")
    coin = try CurrencyCode("COIN")
    ticket = try CurrencyCode("TICKET")
  }

  /// Returns the catalog.
  ///
  /// Gems that are spent before their refund become a debt, so balances less debts follow from the purchases alone.
  /// Coins are clawed back as far as the balance allows. Tickets are granted and expire.
  ///
  /// - Parameter missing: The products to leave out.
  func catalog(without missing: Set<String> = []) throws(LedgerError) -> Catalog {
    let price = try Price("9.99", in: StorefrontCode.unitedStates.currency)
    func product(
      _ code: String, _ type: ProductType, _ grants: [Grant], entitlement: String? = nil,
      period: String? = nil
    ) -> Product {
      Product(
        code: ProductCode(unchecked: code), storeIDs: ["apple": code, "google": code], type: type,
        localizations: [Localization(locale: "en_US", title: code)], prices: [.unitedStates: price], grants: grants,
        entitlement: entitlement, period: period)
    }
    let all = [
      product("gems_300", .consumable, [Grant(currency: gem, amount: 300)]),
      product("gems_1200", .consumable, [Grant(currency: gem, amount: 1200)]),
      product("gems_bonus", .consumable, [Grant(currency: gem, amount: 500, bonus: 55)]),
      product("coins", .consumable, [Grant(currency: coin, amount: 99)]),
      product(
        "club", .autoRenewableSubscription, [Grant(currency: gem, amount: 70)], entitlement: "club", period: "P1W"),
      product("premium", .nonConsumable, [], entitlement: "premium"),
    ]
    let products = all.filter { !missing.contains($0.code.text) }
    do throws(CatalogProblems) {
      return try Catalog(
        currencies: [
          Currency(code: gem, name: "Gems", refundPolicy: .debt), Currency(code: coin, name: "Coins"),
          Currency(code: ticket, name: "Tickets"),
        ],
        products: products,
        offerings: [
          CatalogOffering(
            id: OfferingID(unchecked: "all"),
            packages: products.map { CatalogOffering.Package(id: $0.code.text, product: $0.code) })
        ], currentOffering: OfferingID(unchecked: "all"), settings: CatalogSettings(bundleID: "com.example.gems"))
    } catch {
      throw .defect("The simulation's catalog has problems: \(error)")
    }
  }
}
