public import GemLedger
internal import StoreBackend

// MARK: Items

extension StoreClient {
  /// Returns the items sold for virtual currency, with the backend's prices, in the order of the catalog.
  ///
  /// Items that are not for sale now are omitted.
  ///
  /// - Throws: `LedgerError` of the backend.
  public func items() async throws(LedgerError) -> [Item] { try await ItemPurchases(context: context).items() }

  /// Buys an item at the backend's price.
  ///
  /// The backend's price at the time of the purchase counts. A purchase that was booked with this key before is
  /// answered again, even after a change of the price.
  ///
  /// ```swift
  /// let booking = try await client.buyItem("extra_life", key: tap)
  /// ```
  /// - Parameters:
  ///   - itemID: The item's id in the catalog.
  ///   - quantity: The number of units.
  ///   - key: The idempotency key, one for each tap, repeated with every retry; by default a new key.
  /// - Returns: The booking with the balances after it and the bought items.
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_identifier`, `forbidden` if the backend sells no
  ///   items to clients, and those of `Ledger.buyItem(_:quantity:customer:key:)`.
  @discardableResult
  public func buyItem(
    _ itemID: String, quantity: Int64 = 1, key: IdempotencyKey? = nil
  ) async throws(LedgerError) -> Booking {
    try await buyItem(ItemID(itemID), quantity: quantity, key: key)
  }

  /// Buys an item at the backend's price, with a key as text.
  ///
  /// - Parameters:
  ///   - itemID: The item's id in the catalog.
  ///   - quantity: The number of units.
  ///   - key: The idempotency key, one for each tap, repeated with every retry.
  /// - Returns: The booking with the balances after it and the bought items.
  /// - Throws: `LedgerError` with `invalid_identifier` for an invalid id or key, and otherwise as
  ///   ``buyItem(_:quantity:key:)-(ItemID,_,_)``.
  @discardableResult
  public func buyItem(_ itemID: String, quantity: Int64 = 1, key: String) async throws(LedgerError) -> Booking {
    try await buyItem(ItemID(itemID), quantity: quantity, key: IdempotencyKey(key))
  }

  /// Buys an item at the backend's price.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - quantity: The number of units.
  ///   - key: The idempotency key, one for each tap, repeated with every retry; by default a new key.
  /// - Returns: The booking with the balances after it and the bought items.
  /// - Throws: `LedgerError` with `forbidden` if the backend sells no items to clients, and those of
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
    // A failed call may have bought the item, so the balance may have changed in any case.
    defer {
      balances.invalidate()
      balances.refreshForListeners()
    }
    let customer = appUserID
    do throws(LedgerError) {
      return try await backend.buyItem(item, quantity: quantity, customer: customer, key: key)
    } catch  where error.code == .customerNotFound {
      // An app's customer need not be registered yet: register the customer and repeat the call.
      _ = try await backend.register(customer)
      return try await backend.buyItem(item, quantity: quantity, customer: customer, key: key)
    }
  }
}
