internal import GemLedger

/// The shared parts of a backend: the ledger, the policy, the clock, the product index, names of requests.
final class BackendContext: Sendable {
  let ledger: Ledger
  let policy: BackendPolicy
  let verifier: any ReceiptVerifier
  let delivery: (any DeliveryTarget)?
  let refundIssuer: (any RefundIssuer)?
  let clock: LedgerClock
  let randomness: @Sendable () -> UInt64
  let warn: @Sendable (BackendWarning) -> Void
  let foreign = ForeignReceipts()
  private let productIndexes = ProductIndexCache()
  private let requestIDs: RequestIDs

  init(
    ledger: Ledger, verifier: any ReceiptVerifier, policy: BackendPolicy, delivery: (any DeliveryTarget)?,
    refundIssuer: (any RefundIssuer)?, clock: LedgerClock, randomness: @escaping @Sendable () -> UInt64,
    warn: @escaping @Sendable (BackendWarning) -> Void
  ) {
    self.ledger = ledger
    self.policy = policy
    self.verifier = verifier
    self.delivery = delivery
    self.refundIssuer = refundIssuer
    self.clock = clock
    self.randomness = randomness
    self.warn = warn
    requestIDs = RequestIDs(seed: randomness())
  }

  /// Reads at one instant, with the products of the catalog at that instant.
  func reading<R>(_ body: (LedgerView, ProductIndex) throws(LedgerError) -> R) throws(LedgerError) -> R {
    let productIndexes = productIndexes
    return try ledger.view { (view) throws(LedgerError) -> R in
      try body(view, try productIndexes.productIndex(in: view))
    }
  }

  /// Returns whether the transaction's token belongs to an erased customer.
  func namesErased(_ transaction: StoreTransaction) throws(LedgerError) -> Bool {
    guard let token = transaction.accountToken else { return false }
    return try reading { (view, _) throws(LedgerError) in
      try view.customers.buyer(token, at: transaction.purchasedAt)?.isOfErased ?? false
    }
  }

  /// Verifies that a store made the receipt.
  func verified(_ receipt: StoreReceipt) throws(LedgerError) -> Evidence {
    Evidence(transaction: try verifier.verify(receipt), original: original(receipt.text))
  }

  /// Returns the digest of a signed text, as evidence stores it.
  func original(_ text: String) -> String? { verifier.digest(of: text).map { Base64URL.text($0) } }

  /// Returns a new name of a request for errors, answers and logs.
  func newRequestID() -> String { requestIDs.next(at: clock.now()) }

  /// The time from a credit to the second try of its delivery; nil without a delivery target.
  ///
  /// If the schedule has a single try, it is the time until the refund is due.
  var secondDeliveryMilliseconds: Int64? {
    delivery.map { _ in
      policy.deliverySchedule.gapMilliseconds(after: 1)
        ?? refundIssuer.map { _ in OrderDeliveries.refundGapMilliseconds } ?? .max
    }
  }
}

extension LedgerError {
  /// Returns the error with an additional detail.
  func adding(_ detail: Detail) -> Self {
    var error = LedgerError(code, message, details: details + [detail])
    error.isReplayed = isReplayed
    return error
  }
}
