import SimulatedStoreKit

/// The symbols of the page about StoreKit 2: each is used, so that the compiler checks that it exists with StoreKit's
/// types.
@MainActor
struct SymbolTable {
  let session: SKTestSession
  let product: Product
  let transaction: Transaction
  let result: VerificationResult<Transaction>

  var products: [String: Any] {
    [
      "Product.products(for:)": Product.products(for:) as ([String]) async throws -> [Product],
      "Product.id": product.id as String,
      "Product.type": product.type as Product.ProductType,
      "Product.displayName": product.displayName as String,
      "Product.description": product.description as String,
      "Product.price": product.price as Decimal,
      "Product.displayPrice": product.displayPrice as String,
      "Product.priceFormatStyle": product.priceFormatStyle as Decimal.FormatStyle.Currency,
      "Product.subscription": product.subscription as Product.SubscriptionInfo? as Any,
      "Product.latestTransaction": { await product.latestTransaction } as () async -> VerificationResult<Transaction>?,
      "Product.currentEntitlement": { await product.currentEntitlement }
        as () async -> VerificationResult<Transaction>?,
      "Product.purchase(options:)": product.purchase(options:)
        as @MainActor (Set<Product.PurchaseOption>) async throws -> Product.PurchaseResult,
      "Product.ProductType": [Product.ProductType.consumable, .nonConsumable, .nonRenewable, .autoRenewable],
      "Product.PurchaseResult": [Product.PurchaseResult.success(result), .userCancelled, .pending],
      "Product.PurchaseOption.quantity(_:)": Product.PurchaseOption.quantity(2),
      "Product.PurchaseOption.appAccountToken(_:)": Product.PurchaseOption.appAccountToken(UUID()),
      "Product.PurchaseOption.simulatesAskToBuyInSandbox(_:)": Product.PurchaseOption.simulatesAskToBuyInSandbox(true),
      "Product.PurchaseOption.onStorefrontChange(shouldContinuePurchase:)":
        Product.PurchaseOption.onStorefrontChange { _ in true },
      "Product.PurchaseError": [
        Product.PurchaseError.invalidQuantity, .productUnavailable, .purchaseNotAllowed, .ineligibleForOffer,
        .invalidOfferIdentifier, .invalidOfferPrice, .invalidOfferSignature, .missingOfferParameters,
      ],
      "StoreKitError": [
        StoreKitError.unknown, .userCancelled, .networkError(URLError(.timedOut)),
        .systemError(CocoaError(.fileNoSuchFile)),
        .notAvailableInStorefront, .notEntitled, .unsupported,
      ],
      "Storefront.current": { await Storefront.current } as () async -> Storefront?,
      "Storefront.updates": Storefront.updates as Storefront.Storefronts,
      "Storefront.countryCode": \Storefront.countryCode as KeyPath<Storefront, String>,
      "Storefront.currency": \Storefront.currency as KeyPath<Storefront, Locale.Currency?>,
    ]
  }

  var subscriptions: [String: Any] {
    typealias Info = Product.SubscriptionInfo
    return [
      "Product.SubscriptionInfo.subscriptionGroupID": \Info.subscriptionGroupID as KeyPath<Info, String>,
      "Product.SubscriptionInfo.subscriptionPeriod": \Info.subscriptionPeriod
        as KeyPath<Info, Product.SubscriptionPeriod>,
      "Product.SubscriptionInfo.status": { try await product.subscription?.status }
        as () async throws -> [Info.Status]?,
      "Product.SubscriptionInfo.status(for:)": Info.status(for:) as (String) async throws -> [Info.Status],
      "Product.SubscriptionInfo.RenewalState": [
        Info.RenewalState.subscribed, .expired, .inBillingRetryPeriod, .inGracePeriod, .revoked,
      ],
      "Product.SubscriptionInfo.RenewalInfo": [
        \Info.RenewalInfo.willAutoRenew, \.currentProductID, \.autoRenewPreference, \.originalTransactionID,
        \.isInBillingRetry, \.renewalDate, \.priceIncreaseStatus, \.environment,
      ] as [PartialKeyPath<Info.RenewalInfo>],
      "Product.SubscriptionPeriod": [Product.SubscriptionPeriod.weekly, .monthly, .yearly],
    ]
  }

  var transactions: [String: Any] {
    [
      "Transaction.updates": Transaction.updates as Transaction.Transactions,
      "Transaction.unfinished": Transaction.unfinished as Transaction.Transactions,
      "Transaction.all": Transaction.all as Transaction.Transactions,
      "Transaction.currentEntitlements": Transaction.currentEntitlements as Transaction.Transactions,
      "Transaction.currentEntitlements(for:)": Transaction.currentEntitlements(for:),
      "Transaction.latest(for:)": Transaction.latest(for:) as (String) async -> VerificationResult<Transaction>?,
      "Transaction.finish()": transaction.finish as () async -> Void,
      "Transaction.id": [transaction.id, transaction.originalID] as [UInt64],
      "Transaction.productID": [transaction.productID, transaction.appBundleID] as [String],
      "Transaction.productType": transaction.productType as Product.ProductType,
      "Transaction.subscriptionGroupID": transaction.subscriptionGroupID as String? as Any,
      "Transaction.purchaseDate": [
        transaction.purchaseDate, transaction.originalPurchaseDate, transaction.signedDate,
      ] as [Date],
      "Transaction.expirationDate": transaction.expirationDate as Date? as Any,
      "Transaction.purchasedQuantity": transaction.purchasedQuantity as Int,
      "Transaction.appAccountToken": transaction.appAccountToken as UUID? as Any,
      "Transaction.environment": transaction.environment as AppStore.Environment,
      "Transaction.storefront": transaction.storefront as Storefront,
      "Transaction.price": transaction.price as Decimal? as Any,
      "Transaction.currency": transaction.currency as Locale.Currency? as Any,
      "Transaction.reason": transaction.reason as Transaction.Reason,
      "Transaction.ownershipType": transaction.ownershipType as Transaction.OwnershipType,
      "Transaction.offer": transaction.offer as Transaction.Offer? as Any,
      "Transaction.isUpgraded": transaction.isUpgraded as Bool,
      "Transaction.revocationDate": transaction.revocationDate as Date? as Any,
      "Transaction.revocationReason": transaction.revocationReason as Transaction.RevocationReason? as Any,
      "Transaction.revocationPercentage": transaction.revocationPercentage as Decimal? as Any,
      "Transaction.jsonRepresentation": transaction.jsonRepresentation as Data,
      "VerificationResult": [VerificationResult.verified(transaction), .unverified(transaction, .invalidSignature)],
      "VerificationResult.payloadValue": { try result.payloadValue } as () throws -> Transaction,
      "VerificationResult.unsafePayloadValue": result.unsafePayloadValue as Transaction,
      "VerificationResult.jwsRepresentation": result.jwsRepresentation as String,
      "VerificationResult.payloadData": [
        result.headerData, result.payloadData, result.signatureData, result.signedData,
      ] as [Data],
      "VerificationResult.signedDate": result.signedDate as Date,
      "VerificationResult.VerificationError": [
        VerificationResult<Transaction>.VerificationError.revokedCertificate, .invalidCertificateChain,
        .invalidDeviceVerification, .invalidEncoding, .invalidSignature, .missingRequiredProperties,
      ],
      "AppStore.sync()": AppStore.sync as () async throws -> Void,
      "AppStore.canMakePayments": AppStore.canMakePayments as Bool,
      "AppStore.Environment": [AppStore.Environment.production, .sandbox, .xcode],
    ]
  }

  var sessions: [String: Any] {
    [
      "SKTestSession.init(configurationFileNamed:)": { try SKTestSession(configurationFileNamed: $0) }
        as (String) throws -> SKTestSession,
      "SKTestSession.init(contentsOf:)": { try SKTestSession(contentsOf: $0) } as (URL) throws -> SKTestSession,
      "SKTestSession.askToBuyEnabled": session.askToBuyEnabled as Bool,
      "SKTestSession.disableDialogs": session.disableDialogs as Bool,
      "SKTestSession.interruptedPurchasesEnabled": session.interruptedPurchasesEnabled as Bool,
      "SKTestSession.failTransactionsEnabled": session.failTransactionsEnabled as Bool,
      "SKTestSession.failureError": session.failureError as SKError.Code,
      "SKTestSession.billingGracePeriodIsEnabled": session.billingGracePeriodIsEnabled as Bool,
      "SKTestSession.shouldEnterBillingRetryOnRenewal": session.shouldEnterBillingRetryOnRenewal as Bool,
      "SKTestSession.storefront": session.storefront as String,
      "SKTestSession.locale": session.locale as Locale,
      "SKTestSession.timeRate": session.timeRate as SKTestSession.TimeRate,
      "SKTestSession.allTransactions()": session.allTransactions as () -> [SKTestTransaction],
      "SKTestSession.clearTransactions()": session.clearTransactions as () -> Void,
      "SKTestSession.resetToDefaultState()": session.resetToDefaultState as () -> Void,
      "SKTestSession.buyProduct(identifier:options:)": session.buyProduct(identifier:options:)
        as (String, Set<Product.PurchaseOption>) async throws -> Transaction,
      "SKTestSession.buyProduct(productIdentifier:)": session.buyProduct(productIdentifier:)
        as (String) throws -> Void,
      "SKTestSession.expireSubscription(productIdentifier:)": session.expireSubscription as (String) throws -> Void,
      "SKTestSession.forceRenewalOfSubscription(productIdentifier:)": session.forceRenewalOfSubscription
        as (String) throws -> Void,
      "SKTestSession.setSimulatedError(_:forAPI:)": {
        try await session.setSimulatedError(.purchase(.productUnavailable), forAPI: .purchase)
      } as () async throws -> Void,
      "SKTestSession.simulatedError(forAPI:)": { await session.simulatedError(forAPI: .loadProducts) }
        as () async -> SKTestFailures.LoadProducts?,
    ].merging(byIdentifier) { first, _ in first }
  }

  /// The controls that take a transaction's identifier.
  private var byIdentifier: [String: Any] {
    let controls: [String: (UInt) throws -> Void] = [
      "deleteTransaction": session.deleteTransaction,
      "refundTransaction": session.refundTransaction,
      "resolveIssueForTransaction": session.resolveIssueForTransaction,
      "approveAskToBuyTransaction": session.approveAskToBuyTransaction,
      "declineAskToBuyTransaction": session.declineAskToBuyTransaction,
      "disableAutoRenewForTransaction": session.disableAutoRenewForTransaction,
      "enableAutoRenewForTransaction": session.enableAutoRenewForTransaction,
      "requestPriceIncreaseConsentForTransaction": session.requestPriceIncreaseConsentForTransaction,
      "consentToPriceIncreaseForTransaction": session.consentToPriceIncreaseForTransaction,
      "declinePriceIncreaseForTransaction": session.declinePriceIncreaseForTransaction,
    ]
    return Dictionary(uniqueKeysWithValues: controls.map { ("SKTestSession.\($0.key)(identifier:)", $0.value) })
  }

  var testTypes: [String: Any] {
    [
      "SKTestTransaction": [
        \SKTestTransaction.identifier, \.originalTransactionIdentifier, \.productIdentifier, \.state, \.purchaseDate,
        \.expirationDate, \.cancelDate, \.autoRenewingEnabled, \.hasPurchaseIssue, \.pendingAskToBuyConfirmation,
        \.pendingPriceIncreaseConsent,
      ] as [PartialKeyPath<SKTestTransaction>],
      "SKTestFailures": [
        SKTestFailures.LoadProducts.generic(.unknown), SKTestFailures.AppStoreSync.generic(.unknown),
        SKTestFailures.SubscriptionStatus.generic(.unknown), SKTestFailures.Purchase.purchase(.productUnavailable),
        SKTestFailures.Verification.verification(.invalidSignature),
      ] as [any SKTestFailure],
      "SKTestError": [
        SKTestError.fileNotFound, SKTestError.invalidAction, SKTestError.invalidProductIdentifier,
        SKTestError.invalidURL, SKTestError.noSubscriptionFound, SKTestError.noTransactionFound,
      ],
      "SKTestSession.TimeRate": SKTestSession.TimeRate.allCases,
    ]
  }
}
