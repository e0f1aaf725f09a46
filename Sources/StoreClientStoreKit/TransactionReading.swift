internal import Foundation
internal import GemLedger
internal import StoreBackend
internal import StoreClient

#if canImport(StoreKit)
internal import StoreKit
internal import struct StoreKit.Product
#else
internal import SimulatedStoreKit
internal import struct SimulatedStoreKit.Product
#endif

/// Reads StoreKit's transactions into the client's evidence.
struct TransactionReading: Sendable {
  /// The members of a transaction's JSON that some SDKs do not have as properties.
  private struct Payload: Decodable {
    var environment: String?
    /// Thousandths of a percent.
    var revocationPercentage: Int64?
  }

  /// The name of Xcode's test session.
  let testSession: String

  func evidence(_ result: VerificationResult<Transaction>) -> StoreEvidence {
    let unverified: VerificationFailure?
    switch result {
    case .verified: unverified = nil
    case .unverified(_, let error): unverified = VerificationFailure(error)
    }
    return StoreEvidence(
      transaction: record(of: result.unsafePayloadValue), receipt: StoreReceipt(result.jwsRepresentation),
      unverified: unverified)
  }

  private func record(of transaction: Transaction) -> StoreTransaction {
    // StoreKit's JSON can always be read; other JSON only lacks these two members.
    let payload = try? JSONDecoder().decode(Payload.self, from: transaction.jsonRepresentation)
    return StoreTransaction(
      store: .apple, environment: environment(of: transaction, payload),
      id: StoreTransactionID(unchecked: String(transaction.id)),
      originalID: StoreTransactionID(unchecked: String(transaction.originalID)), bundleID: transaction.appBundleID,
      storeProductID: transaction.productID, productType: ProductType(transaction.productType),
      subscriptionGroupID: transaction.subscriptionGroupID, quantity: Int64(transaction.purchasedQuantity),
      price: transaction.price.flatMap { Money($0, currency: transaction.currency?.identifier) },
      storefront: StorefrontCode(exactly: transaction.storefront.countryCode),
      accountToken: transaction.appAccountToken.flatMap { AccountToken($0.uuidString.lowercased()) },
      purchasedAt: Timestamp(transaction.purchaseDate),
      originalPurchasedAt: Timestamp(transaction.originalPurchaseDate),
      expiresAt: transaction.expirationDate.map { Timestamp($0) }, revocation: revocation(of: transaction, payload),
      reason: transaction.reason == .renewal ? .renewal : .purchase, signedAt: Timestamp(transaction.signedDate))
  }

  private func environment(of transaction: Transaction, _ payload: Payload?) -> StoreEnvironment {
    switch transaction.environment {
    case .production: return .production
    case .sandbox: return .sandbox
    default:
      let isSimulated = payload?.environment == "LocalTesting"
      let named = isSimulated ? StoreEnvironment.localTesting(session:) : StoreEnvironment.xcode(session:)
      // An invalid session name counts as Xcode's.
      return (try? named(testSession)) ?? StoreEnvironment(kind: .xcode, session: "xcode")
    }
  }

  private func revocation(of transaction: Transaction, _ payload: Payload?) -> StoreTransaction.Revocation? {
    transaction.revocationDate.map { date in
      let share = payload?.revocationPercentage ?? 100_000
      return StoreTransaction.Revocation(
        revokedAt: Timestamp(date), extent: (1..<100_000).contains(share) ? .milliPercent(share) : .full,
        isAppIssue: transaction.revocationReason == .developerIssue)
    }
  }
}

extension VerificationFailure {
  fileprivate init(_ error: VerificationResult<Transaction>.VerificationError) {
    switch error {
    case .revokedCertificate: self = .revokedCertificate
    case .invalidCertificateChain: self = .invalidCertificateChain
    case .invalidDeviceVerification: self = .invalidDeviceVerification
    case .invalidEncoding: self = .invalidEncoding
    case .invalidSignature: self = .invalidSignature
    case .missingRequiredProperties: self = .missingRequiredProperties
    // For an unknown reason, the device does not trust the transaction.
    @unknown default: self = .invalidSignature
    }
  }
}
