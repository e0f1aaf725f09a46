internal import GemLedger
internal import SimulatedStores
internal import StoreBackend

// Changes around the purchases: prices, the catalog, and the backend's periodic work.
extension World {
  /// Changes the price of a product in one store, or restores the catalog's price.
  func changePrice(_ event: SimulationEvent) throws(LedgerError) {
    let floor = drivers[Int(event.choice >> 48) % drivers.count]
    let product = event.choice & 3 == 0 ? SimulationCatalog.subscription : consumable(event)
    let price: Price? =
      event.choice >> 8 & 3 == 0
      ? nil : try Price("\(10 + event.choice >> 16 & 31).49", in: floor.controls.storefront.currency)
    try floor.controls.setPrice(price, ofProduct: product, in: floor.controls.storefront)
  }

  /// Removes a consumable from the backend's catalog, or restores it.
  func changeCatalog(_ event: SimulationEvent) throws(LedgerError) {
    let product = consumable(event)
    if missing.remove(product) == nil { missing.insert(product) }
    try ledger.apply(wares.catalog(without: missing))
  }

  /// Restores every product of the catalog.
  func completeCatalog() throws(LedgerError) {
    guard !missing.isEmpty else { return }
    missing = []
    try ledger.apply(catalog)
  }

  /// Runs one round of the backend's periodic work.
  func maintain() async throws(LedgerError) {
    let report = try await maintenance.runOnce()
    for failure in report.failures {
      recorder.read { books in
        books.complain("\(failure.name) failed: \(failure.error.map(String.init(describing:)) ?? "")")
      }
    }
    try recorder.findCredits()
  }
}
