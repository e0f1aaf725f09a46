internal import GemLedger
internal import SimulatedStores

/// A transaction with all data of the test environment.
public struct SKTestTransaction: Hashable, Sendable {
  private let transaction: SimulatedTransaction

  init(_ transaction: SimulatedTransaction) { self.transaction = transaction }

  /// Its id.
  public var identifier: UInt { UInt(transaction.identifier.number) }
  /// The first transaction of the same subscription.
  public var originalTransactionIdentifier: UInt { UInt(transaction.originalTransactionIdentifier.number) }
  /// The product.
  public var productIdentifier: String { transaction.productIdentifier }
  /// The state of the transaction.
  public var state: SKPaymentTransactionState {
    switch transaction.state {
    case .purchased: .purchased
    case .deferred: .deferred
    case .failed: .failed
    }
  }
  /// When it was bought.
  public var purchaseDate: Date { transaction.purchaseDate.date }
  /// When the paid period ends.
  public var expirationDate: Date? { transaction.expirationDate?.date }
  /// When it was refunded.
  public var cancelDate: Date? { transaction.cancelDate?.date }
  /// Whether the subscription renews.
  public var autoRenewingEnabled: Bool { transaction.autoRenewingEnabled }
  /// Whether the customer must resolve an issue with the store first.
  public var hasPurchaseIssue: Bool { transaction.hasPurchaseIssue }
  /// Whether another person must approve first.
  public var pendingAskToBuyConfirmation: Bool { transaction.pendingAskToBuyConfirmation }
  /// Whether a question for consent to a higher price has no answer yet.
  public var pendingPriceIncreaseConsent: Bool { transaction.pendingPriceIncreaseConsent }
}

/// The state of a payment, with StoreKit's numbers.
public enum SKPaymentTransactionState: Int, Hashable, Sendable {
  /// It is being paid for; the simulated store never reports this state.
  case purchasing = 0
  /// Paid for.
  case purchased = 1
  /// It failed.
  case failed = 2
  /// Restored; the simulated store never reports this state.
  case restored = 3
  /// Waiting for another person's approval, or for the customer to resolve an issue.
  case deferred = 4
}
