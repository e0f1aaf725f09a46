#if Server
internal import GemLedger
internal import StoreBackend

/// A purchase at RevenueCat's test store, `test_MILLISECONDS_UUID`, without a payment or a proof.
struct TestStoreToken: Hashable, Sendable {
  let text: String
  /// The time when the SDK created it, by its device's clock.
  private let milliseconds: Int64

  /// - Returns: Nil for a text of another form.
  init?(_ text: String) {
    guard text.hasPrefix("test_"),
      let match = text.wholeMatch(
        of: /test_([0-9]{1,15})_[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/),
      let milliseconds = Int64(match.1)
    else { return nil }
    self.text = text
    self.milliseconds = milliseconds
  }

  /// Returns the transaction for the ledger: at the test store, in a test session.
  ///
  /// - Parameter product: The product as named by the SDK: its id at any store, or its code.
  /// - Throws: `LedgerError` as reading the catalog; `invalid_identifier` if the session's name is invalid.
  func transaction(
    of product: String, session: String, in project: ServerProject
  ) throws(LedgerError) -> StoreTransaction {
    let catalog = try project.catalogs.current().catalog
    let found = Self.product(product, in: catalog)
    let instant = min(Timestamp(milliseconds: milliseconds), project.clock.now())
    return StoreTransaction(
      store: .test, environment: try .localTesting(session: session), id: try StoreTransactionID(text),
      bundleID: project.backend.policy.bundleIDs?.sorted().first ?? catalog.settings.bundleID ?? "test",
      storeProductID: found.map { $0.storeIDs[Store.test.description] ?? $0.code.text } ?? product,
      productType: found?.type ?? .consumable, purchasedAt: instant, signedAt: instant)
  }

  private static func product(_ name: String, in catalog: Catalog) -> Product? {
    let products = catalog.products
    return products.first { $0.storeIDs[Store.test.description]?.hasBytes(of: name) ?? false }
      ?? products.first { $0.code.text.hasBytes(of: name) }
      ?? products.first { $0.storeIDs.values.contains { $0.hasBytes(of: name) } }
  }
}
#endif
