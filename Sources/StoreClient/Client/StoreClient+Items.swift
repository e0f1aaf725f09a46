public import GemLedger
internal import StoreBackend

// MARK: Items

extension StoreClient {
  /// Returns the items that are sold for virtual currency, with the backend's prices, in the order of the catalog.
  ///
  /// Items that are not for sale now are left out.
  ///
  /// - Throws: `LedgerError` of the backend.
  public func items() async throws(LedgerError) -> [Item] { try await ItemPurchases(context: context).items() }

  /// Buys an item at the price that the backend has for it.
  ///
  /// The price is the backend's at the moment of the purchase. A purchase that was booked under the key before is
  /// answered again, even after a change of the price.
  ///
  /// ```swift
  /// let booking = try await client.buyItem("extra_life", key: tap)
  /// ```
  /// - Parameters:
  ///   - itemID: The item's id in the catalog.
  ///   - quantity: How many.
  ///   - key: One for each tap, sent again with every retry of it; a new one where none is given.
  /// - Returns: The booking with the balances after it and the bought items.
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_identifier`, `forbidden` where the backend sells no
  ///   items to clients, and those of `Ledger.buyItem(_:quantity:customer:key:)`.
  @discardableResult
  public func buyItem(
    _ itemID: String, quantity: Int64 = 1, key: IdempotencyKey? = nil
  ) async throws(LedgerError) -> Booking {
    try await buyItem(ItemID(itemID), quantity: quantity, key: key)
  }

  /// Buys an item at the price that the backend has for it, with a key as text.
  ///
  /// - Parameters:
  ///   - itemID: The item's id in the catalog.
  ///   - quantity: How many.
  ///   - key: One for each tap, sent again with every retry of it.
  /// - Returns: The booking with the balances after it and the bought items.
  /// - Throws: `LedgerError` with `invalid_identifier` for an id or a key that is none, and otherwise as
  ///   ``buyItem(_:quantity:key:)-(ItemID,_,_)``.
  @discardableResult
  public func buyItem(_ itemID: String, quantity: Int64 = 1, key: String) async throws(LedgerError) -> Booking {
    try await buyItem(ItemID(itemID), quantity: quantity, key: IdempotencyKey(key))
  }

  /// Buys an item at the price that the backend has for it.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - quantity: How many.
  ///   - key: One for each tap, sent again with every retry of it; a new one where none is given.
  /// - Returns: The booking with the balances after it and the bought items.
  /// - Throws: `LedgerError` with `forbidden` where the backend sells no items to clients, and those of
  ///   `Ledger.buyItem(_:quantity:customer:key:)`.
  @discardableResult
  public func buyItem(
    _ item: ItemID, quantity: Int64 = 1, key: IdempotencyKey? = nil
  ) async throws(LedgerError) -> Booking {
    try await context.logged("buyItem", \.description) { () async throws(LedgerError) in
      try await ItemPurchases(context: context).buy(item, quantity: quantity, key: key ?? context.newKey())
    }
  }
}

/// Buys items of the backend's catalog with virtual currency.
struct ItemPurchases: ClientPart {
  let context: ClientContext

  func items() async throws(LedgerError) -> [Item] {
    let storefront = await context.storefront.storefront()
    let platform = AppPlatform(store: store, storefront: storefront, locale: configuration.locale)
    return try await backend.offerings(for: platform).items
  }

  func buy(_ item: ItemID, quantity: Int64, key: IdempotencyKey) async throws(LedgerError) -> Booking {
    // A failed call may have bought too, so the balance may have changed in any case.
    defer {
      balances.invalidate()
      balances.refreshForListeners()
    }
    let customer = appUserID
    do throws(LedgerError) {
      return try await backend.buyItem(item, quantity: quantity, customer: customer, key: key)
    } catch  where error.code == .customerNotFound {
      // To the app, a customer that the backend does not know yet is no unknown one.
      _ = try await backend.register(customer)
      return try await backend.buyItem(item, quantity: quantity, customer: customer, key: key)
    }
  }
}
