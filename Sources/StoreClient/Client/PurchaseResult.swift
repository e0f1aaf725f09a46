public import GemLedger
public import StoreBackend

/// The result of a purchase: closed, so that a `switch` needs no default.
public enum PurchaseResult: Hashable, Sendable {
  /// Paid for and credited; all calls of ``StoreClient`` set the customer's state after the purchase.
  case success(CustomerInfo?)
  /// Paid for; the receipt is in the queue and is posted again automatically.
  case pendingServerValidation
  /// Paid for, and refused by the backend; the purchase stays unfinished at the store, and can be requeued.
  case failedServerValidation(errorCode: String, message: String, requestID: String?)
  /// The customer cancelled; no payment was made.
  case cancelled
  /// The payment needs another person's approval or more time; it may arrive later without a call.
  case pending

  /// Whether the customer cancelled.
  public var userCancelled: Bool { self == .cancelled }

  /// The customer's known state after a success.
  public var customerInfo: CustomerInfo? {
    guard case .success(let info) = self else { return nil }
    return info
  }

  /// The store's record of the purchase after a success.
  public var transaction: StoreTransaction? { customerInfo?.transaction }
}

extension PurchaseResult {
  /// Returns the result with the store's record of the purchase.
  fileprivate func naming(_ transaction: StoreTransaction?) -> Self {
    guard case .success(var info?) = self else { return self }
    info.transaction = transaction
    return .success(info)
  }
}

/// The result of a purchase with its details.
public struct PurchaseOutcome: Sendable {
  /// The result.
  public let result: PurchaseResult
  /// The store's id of the transaction, if there was a payment.
  public let storeTransactionID: StoreTransactionID?
  /// The store's record of it.
  public let transaction: StoreTransaction?
  /// The signed evidence.
  public let receipt: StoreReceipt?
  /// The backend's answer; nil without one.
  public let answer: ReceiptAnswer?
  /// The order, in a two-step purchase.
  public let order: Order?
  /// Why the receipt waits or was refused.
  public let failure: LedgerError?

  /// Whether it is credited but the game server has not confirmed the delivery: "items will arrive shortly".
  public var isDeliveryPending: Bool { (answer?.order ?? order)?.status == .deliveryPending }

  init(
    _ result: PurchaseResult, _ payment: Payment? = nil, answer: ReceiptAnswer? = nil, order: Order? = nil,
    failure: LedgerError? = nil
  ) {
    self.result = result.naming(payment?.transaction)
    storeTransactionID = payment?.id
    transaction = payment?.transaction
    receipt = payment?.receipt
    self.answer = answer
    self.order = answer?.order ?? order
    self.failure = failure
  }
}

/// The known details of a payment, for its outcome.
struct Payment: Sendable {
  let id: StoreTransactionID
  var transaction: StoreTransaction?
  var receipt: StoreReceipt?

  init(id: StoreTransactionID, _ evidence: StoreEvidence? = nil) {
    self.id = id
    transaction = evidence?.transaction
    receipt = evidence?.receipt
  }
}
