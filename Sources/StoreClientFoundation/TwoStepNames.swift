// Names from SDKs that sell in two steps, for code with products and purchases as dictionaries.

extension StoreClient {
  /// The shared client; nil before the app has configured one.
  public static func `default`() -> StoreClient? { sharedIfConfigured }

  /// Buys one unit in two steps, with the price that the app showed.
  ///
  /// - Parameters:
  ///   - productID: The product's id at the store, or its code.
  ///   - productName: Not used: the catalog has the name.
  ///   - amount: The price that the app showed, in whole units of the product's price currency, such as 22000 or 9.99.
  ///     It must be one of the catalog's prices.
  ///   - parentController: Not used: the store shows its sheet without it.
  ///   - completion: Receives true if the purchase is paid for and credited, delivered or not; otherwise the error:
  ///     `amount_mismatch` for another price, and those of `purchase(order:)`.
  public func purchasePackage(
    withProductId productID: String, productName: String, amount: Double, parentController: AnyObject?,
    completion: @escaping @MainActor (_ status: Bool, _ error: LedgerError?) -> Void
  ) {
    Task {
      var failure: LedgerError?
      do throws(LedgerError) {
        let product = try await offerings().products.first { $0.storeID == productID || $0.code.text == productID }
        // Without the product's currency the amount cannot be checked, so nothing is bought.
        guard let product else {
          throw LedgerError(.productNotFound, "No product on sale has the id \"\(productID.prefix(100))\".")
        }
        let price = try Money(amount, in: product.unitPrice.currency)
        let outcome = try await purchase(order: PurchaseOrder(productID: productID, price: price))
        failure = outcome.failure ?? outcome.result.failure
      } catch { failure = error }
      await completion(failure == nil, failure)
    }
  }
}

extension StoreProduct {
  /// Returns a field of two-step SDKs' product dictionaries; nil if the product lacks it, and for other names.
  ///
  /// Texts are `storeProductId` (also `productId`), `code`, `productName` (also `name` and `title`), `description` and
  /// `currency`. The numbers `price` and `discountPrice` are `Double`s in whole units of the currency. `items` is an
  /// array of dictionaries with `itemId` and `quantity`, and `isActive` is true, as only products on sale are listed.
  public subscript(field: String) -> Any? {
    switch field {
    case "storeProductId", "productId": storeID
    case "code": code.text
    case "productName", "name", "title": localizedTitle
    case "description": localizedDescription
    case "currency": currencyCode
    case "price": unitPrice.double
    case "discountPrice": discountPrice.map(\.double)
    case "items": contents
    case "isActive": true
    default: nil
    }
  }

  private var contents: [[String: Any]] {
    let currencies = grants.map { (id: $0.currency.description, quantity: $0.amount + $0.bonus) }
    let items = itemGrants.map { (id: $0.item.text, quantity: $0.quantity) }
    return (currencies + items).map { ["itemId": $0.id, "quantity": Int(clamping: $0.quantity)] }
  }
}

extension PurchaseRecord {
  /// Returns a field of two-step SDKs' purchase dictionaries; nil if the purchase lacks it, and for other names.
  ///
  /// Texts are `_id`, `code`, `productId`, `bundleId`, `type` such as `APPLE`, `rechargeType`, `paymentStatus`,
  /// `currency`, `transactionId`, `originalTransactionId`, `roleId`, `roleName`, `serverGameId`, `gameId`, and the
  /// times `createdAt` and `updatedAt` in ISO 8601. `amount` is a `Double` in whole units of the currency.
  public subscript(field: String) -> Any? {
    switch field {
    case "_id": transactionID.description
    case "code": announcement?.code.text
    case "productId": storeProductID ?? product.text
    case "bundleId": announcement?.bundleID
    case "type": store.description.uppercased()
    case "paymentStatus": (announcement?.status ?? .success).rawValue
    case "amount": price.flatMap(\.double)
    case "currency": price?.currency
    case "transactionId": storeTransactionID.text
    case "originalTransactionId": originalTransactionID.text
    case "createdAt": (announcement?.createdAt ?? purchasedAt).description
    case "updatedAt": (announcement?.updatedAt ?? purchasedAt).description
    default: announcement?.context[field]
    }
  }
}

extension OrderContext {
  fileprivate subscript(field: String) -> String? {
    switch field {
    case "gameId": gameID
    case "roleId": roleID
    case "roleName": roleName
    case "serverGameId": serverID
    case "rechargeType": rechargeType
    case "extraData": extraData
    default: nil
    }
  }
}

extension Price {
  fileprivate var double: Double { NSDecimalNumber(decimal: amount).doubleValue }
}

extension Money {
  /// Creates an amount in whole units of a currency.
  ///
  /// - Throws: `LedgerError` with `amount_out_of_range` if it has more digits than the currency, or is too large.
  fileprivate init(_ amount: Double, in currency: PriceCurrency) throws(LedgerError) {
    // A binary 9.99 is slightly inexact; a thousandth of a minor unit is far above that error and far below any digit.
    let minorUnits = amount * Double(Self.scale(of: currency))
    guard let exact = Int64(exactly: minorUnits.rounded()), abs(minorUnits - minorUnits.rounded()) < 0.001 else {
      throw LedgerError(.amountOutOfRange, "\(amount) is not an amount of \(currency).")
    }
    self.init(minorUnits: exact, currency: currency.code)
  }

  /// The price in whole units; nil for an unknown currency.
  fileprivate var double: Double? {
    guard let currency = PriceCurrency(exactly: currency) else { return nil }
    return Double(minorUnits) / Double(Self.scale(of: currency))
  }

  private static func scale(of currency: PriceCurrency) -> Int {
    (0..<currency.minorUnitDigits).reduce(1) { scale, _ in scale * 10 }
  }
}
