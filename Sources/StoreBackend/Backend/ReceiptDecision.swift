internal import GemLedger

/// When the poster is credited if a purchase's token names no known customer.
enum BuyerWait: Sendable {
  /// After the policy's wait.
  case poster
  /// At once.
  case nobody
}

/// The decision about a genuine purchase that is not credited yet; pure.
enum ReceiptDecision: Sendable {
  /// It is credited as this product.
  case credit(Product)
  /// The store has fully refunded it: there is nothing to credit.
  case refuse(LedgerError)
  /// It is held until the reason ends, or until an instant; the error is the poster's answer.
  case hold(HoldReason, until: Timestamp? = nil, LedgerError)

  /// Decides by all known facts.
  ///
  /// - Parameters:
  ///   - product: The product with the transaction's id at the store, in any version of the catalog since the purchase.
  ///   - wait: When the poster is credited instead of an unknown buyer.
  init(
    _ transaction: StoreTransaction, _ lookup: TransactionLookup, product: Product?, rules: ReceiptRules,
    waitsFor wait: BuyerWait, now: Timestamp
  ) {
    do throws(LedgerError) {
      try rules.check(bundleID: transaction.bundleID)
    } catch {
      self = .hold(.app, error)
      return
    }
    do throws(LedgerError) {
      try rules.check(environment: transaction.environment, customer: lookup.buyer)
    } catch {
      self = .hold(.environment, error)
      return
    }
    if let revocation = transaction.revocation, revocation.extent == .full {
      self = .refuse(.revoked(on: revocation.revokedAt))
      return
    }
    guard let product else {
      self = .hold(.product, Self.waiting(for: transaction))
      return
    }
    do throws(LedgerError) {
      try rules.check(quantityOf: transaction, product: product)
    } catch {
      self = .hold(.amount, error)
      return
    }
    if !lookup.isBuyerKnown, let hold = rules.hold(forBuyerOf: transaction, wait, now: now) {
      self = .hold(.buyer, until: hold.until, hold.error)
      return
    }
    self = .credit(product)
  }

  static func waiting(for transaction: StoreTransaction) -> LedgerError {
    LedgerError(
      .validationPending,
      "No product of the catalog has the id \"\(transaction.storeProductID.prefix(100))\" at \(transaction.store). The "
        + "purchase is held, and credited once the catalog has it.",
      details: [
        .text("reason", HoldReason.product.name), .text("store_product_id", transaction.storeProductID),
        .integer("retry_after", 60),
      ])
  }
}

extension LedgerError {
  /// Returns the error for a purchase that was refunded before its credit.
  static func revoked(on instant: Timestamp) -> Self {
    Self(
      .receiptRevoked, "The store refunded the purchase on \(instant), before it was credited.",
      details: [.integer("revoked_at", instant.milliseconds)])
  }
}
