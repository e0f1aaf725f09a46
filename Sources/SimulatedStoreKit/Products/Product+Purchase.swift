internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

extension Product {
  /// The result of a purchase.
  @nonexhaustive
  public enum PurchaseResult: Sendable {
    /// Paid for; the app must deliver, and then finish the transaction.
    case success(VerificationResult<Transaction>)
    /// The customer cancelled; no payment.
    case userCancelled
    /// The payment needs another person's approval; it may arrive later through ``Transaction/updates``.
    case pending
  }

  /// Takes the customer through a payment.
  ///
  /// Buying a consumable with an unfinished last transaction returns that transaction again, without a payment. The
  /// transaction is in ``Transaction/unfinished`` until it is finished, but the running app does not receive it in
  /// ``Transaction/updates``.
  ///
  /// - Throws: ``StoreKitError`` or ``PurchaseError``, in order of precedence: `systemError` without a test session,
  /// `notAvailableInStorefront` if the app declines a changed storefront, a simulated error, `productUnavailable`,
  ///   `notAvailableInStorefront`, `invalidQuantity`, the failure of failed transactions.
  @MainActor
  public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
    let attached = try ProcessStore.required()
    let request = PurchaseRequest(options)
    let now = await attached.device.storefront()
    if now != storefront, let asked = request.onStorefrontChange, !asked(Storefront(code: now)) {
      throw StoreKitError.notAvailableInStorefront
    }
    let payment = StorePaymentRequest(
      productID: id, quantity: request.quantity, accountToken: request.accountToken)
    do throws(StoreFailure) {
      switch try await attached.device.purchase(payment, simulatesAskToBuy: request.simulatesAskToBuy) {
      case .success(let evidence): return .success(VerificationResult(evidence))
      case .pending: return .pending
      case .userCancelled: return .userCancelled
      }
    } catch {
      throw attached.error(error, by: .purchase)
    }
  }
}

extension Product {
  /// The reason for a refused purchase that is about the product, its quantity or its offers.
  @nonexhaustive
  public enum PurchaseError: Error, Hashable {
    /// The store does not sell this quantity at once.
    case invalidQuantity
    /// The product is not on sale.
    case productUnavailable
    /// This device or account is not allowed to buy.
    case purchaseNotAllowed
    /// The account is not eligible for the offer.
    case ineligibleForOffer
    /// There is no such offer.
    case invalidOfferIdentifier
    /// The offer has another price.
    case invalidOfferPrice
    /// The offer's signature is invalid.
    case invalidOfferSignature
    /// The offer is incomplete.
    case missingOfferParameters
  }
}

extension Product.PurchaseError: LocalizedError {
  /// A sentence for people.
  public var errorDescription: String? {
    switch self {
    case .invalidQuantity: "The App Store does not sell this quantity; it sells 1 to 10 of a consumable."
    case .productUnavailable: "The product is not available."
    case .purchaseNotAllowed: "This account may not buy."
    case .ineligibleForOffer: "The account is not eligible for the offer."
    case .invalidOfferIdentifier: "There is no such offer."
    case .invalidOfferPrice: "The price of the offer does not fit."
    case .invalidOfferSignature: "The signature of the offer does not fit."
    case .missingOfferParameters: "The offer lacks parameters."
    }
  }

  var storeFailure: StoreFailure {
    switch self {
    case .invalidQuantity: .invalidQuantity
    case .productUnavailable: .productUnavailable
    case .purchaseNotAllowed: .purchaseNotAllowed
    case .ineligibleForOffer: .ineligibleForOffer
    case .invalidOfferIdentifier: .invalidOfferIdentifier
    case .invalidOfferPrice: .invalidOfferPrice
    case .invalidOfferSignature: .invalidOfferSignature
    case .missingOfferParameters: .missingOfferParameters
    }
  }
}
