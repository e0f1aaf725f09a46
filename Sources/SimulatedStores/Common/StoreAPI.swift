public import GemLedger
public import StoreClient

/// The calls of an app to a store, at which faults and simulated errors can occur.
public enum StoreAPI: String, Hashable, Sendable, CaseIterable {
  /// The listing of products.
  case loadProducts
  /// A payment.
  case purchase
  /// The report that a purchase is credited; on Google Play, consuming and acknowledging.
  case finish
  /// The updates outside of a purchase.
  case updates
  /// The notices to the backend, each of which is sent once.
  case notices
  /// The list of paid and unfinished transactions; on Google Play the query for purchases.
  case unfinished
  /// The purchase history.
  case all
  /// The list of transactions that give entitlements now.
  case currentEntitlements
  /// A restore.
  case appStoreSync
  /// The device's verification of the store's signature.
  case verification
  /// A request for a refund.
  case refundRequest
  /// The status of a subscription.
  case subscriptionStatus
  /// The app's receipt.
  case appTransaction
  /// The sheet of subscriptions.
  case manageSubscriptions
  /// The sheet for offer codes.
  case offerCodeRedeem
}

extension StoreAPI {
  /// Whether the store makes the call, not the app: it has no answer that could fail.
  package var isDelivery: Bool { self == .updates || self == .notices }

  /// Returns the call of this name in `.storekit` files, or nil if there is none.
  init?(storeKitName name: String) {
    let names: [String: StoreAPI] = [
      "Load Products": .loadProducts, "Purchase": .purchase, "Verification": .verification,
      "App Store Sync": .appStoreSync, "Subscription Status": .subscriptionStatus, "App Transaction": .appTransaction,
      "Manage Subscriptions Sheet": .manageSubscriptions, "Refund Request Sheet": .refundRequest,
      "Offer Code Redeem Sheet": .offerCodeRedeem,
    ]
    guard let api = names[name] else { return nil }
    self = api
  }
}

/// An error that a store answers with for as long as it is set; see `SimulatedStore.setSimulatedError(_:forAPI:)`.
public enum SimulatedError: Error, Hashable, Sendable {
  /// StoreKit's `.generic` and `.purchase`: the failure of any call but verification.
  case store(StoreFailure)
  /// StoreKit's `.refundRequest`: the failure of a refund request.
  case refundRequest(RefundRequestFailure)
  /// StoreKit's `.verification`: everything signed is unverified, for this reason.
  case verification(VerificationFailure)

  /// Whether the API can fail like this.
  func fits(_ api: StoreAPI) -> Bool {
    switch self {
    case .store: api != .verification && !api.isDelivery
    case .refundRequest: api == .refundRequest
    case .verification: api == .verification
    }
  }
}

/// The reason for a refused refund request; StoreKit's `RefundRequestError`, and all other failures.
public enum RefundRequestFailure: String, Error, Hashable, Sendable, CaseIterable {
  /// There was a request already, with any outcome.
  case duplicateRequest
  /// The request could not be made.
  case failed
}

/// The progress of a purchase inside the store; see `SimulatedStore.onStep`.
public enum StoreStep: Hashable, Sendable {
  /// The customer sees the sheet; no payment yet.
  case asked(String)
  /// Paid for, and durable at the store; the app does not know it yet.
  case paid(StoreTransactionID)
  /// The app received the evidence, by a purchase or an update.
  case delivered(StoreTransactionID)
  /// The app reported the credit; the store has not recorded it yet.
  case finishing(StoreTransactionID)
  /// The store recorded the report; the purchase is not delivered again.
  case finished(StoreTransactionID)
}
