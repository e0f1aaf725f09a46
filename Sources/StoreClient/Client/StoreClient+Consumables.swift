public import GemLedger
internal import Synchronization

// MARK: Balances by the products that give them

extension StoreClient {
  /// Returns the customer's balance of the one currency that a product gives.
  ///
  /// - Parameter productID: The product's code, or its id at the store.
  /// - Throws: `LedgerError` with, in order of precedence: `product_not_found`, `invalid_request` if the product gives
  ///   no currency or several; and those of ``virtualCurrencies()``.
  public func virtualCurrency(ofProduct productID: String) async throws(LedgerError) -> VirtualCurrency? {
    let currency = try await balanceSource.currency(of: productID)
    return try await virtualCurrencies()[currency.description]
  }

  /// Returns the customer's balance of the one currency that a product gives, and 0 if it is unknown.
  ///
  /// The reason is logged, and thrown by ``virtualCurrency(ofProduct:)``.
  public func consumableBalance(for productID: String) async -> Int {
    do throws(LedgerError) { return try await virtualCurrency(ofProduct: productID)?.balance ?? 0 } catch {
      context.log(.error, "The balance of \"\(productID.prefix(100))\" is unknown, so 0 is shown: \(error)")
      return 0
    }
  }

  /// Spends an amount of the one currency that a product gives.
  ///
  /// The spend has one key until its outcome is known. If the answer was lost, the next call for this product and
  /// amount repeats that key, so that two calls never take twice for one success. Concurrent calls have separate keys.
  ///
  /// - Returns: False if the balance does not cover it, and nothing is taken; also false if the spend failed, which is
  ///   logged, and which ``consumeProduct(_:amount:key:)`` throws.
  @discardableResult
  public func consumeProduct(_ productID: String, amount: Int64 = 1) async -> Bool {
    let request = OpenConsumption(customer: customerID, productID: productID, amount: amount)
    let key = context.session.withLock { $0.takeOpenKey(of: request) } ?? context.newKey()
    do throws(LedgerError) { return try await consumeProduct(productID, amount: amount, key: key) } catch {
      // The key is repeated only if the spend may have been booked.
      if PostVerdict(error.code) != .deadLetter {
        context.session.withLock { $0.openConsumptions[request, default: []].append(key) }
      }
      context.log(.error, "\(amount) of \"\(productID.prefix(100))\" could not be consumed: \(error)")
      return false
    }
  }

  /// Spends an amount of the one currency that a product gives, once for each key.
  ///
  /// - Returns: False if the balance does not cover it; nothing is taken then.
  /// - Throws: `LedgerError` as ``virtualCurrency(ofProduct:)`` and `spend(_:key:)`.
  @discardableResult
  public func consumeProduct(
    _ productID: String, amount: Int64 = 1, key: IdempotencyKey
  ) async throws(LedgerError) -> Bool {
    let currency = try await balanceSource.currency(of: productID)
    do throws(LedgerError) {
      try await spend([Adjustment(currency, amount)], key: key)
      return true
    } catch  where error.code == .insufficientBalance {
      return false
    }
  }
}

extension ClientContext.Session {
  /// Removes the oldest key of such a spend with a lost answer: one call at a time repeats it.
  fileprivate mutating func takeOpenKey(of request: OpenConsumption) -> IdempotencyKey? {
    guard var keys = openConsumptions.removeValue(forKey: request), !keys.isEmpty else { return nil }
    let key = keys.removeFirst()
    if !keys.isEmpty { openConsumptions[request] = keys }
    return key
  }
}

/// A spend by product whose outcome is not known yet.
struct OpenConsumption: Hashable, Sendable {
  let customer: CustomerID
  let productID: String
  let amount: Int64
}
