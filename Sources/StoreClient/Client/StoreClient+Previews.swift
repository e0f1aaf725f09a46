public import GemLedger
public import StoreBackend

// MARK: What an identity call would do

extension StoreClient {
  /// Previews ``logIn(_:)`` with this id: the customers that would be merged, and the balances that would move.
  ///
  /// Nothing is booked, and the signed-in customer stays. Use it before a sign-in that the customer should confirm.
  ///
  /// - Parameter id: The app user id; white space around it does not count.
  /// - Throws: `LedgerError` as ``logIn(_:)``, and `forbidden` if the backend has no previews.
  public func previewLogIn(_ id: String) async throws(LedgerError) -> IdentityPreview {
    let customer = try AppUserID.checked(id)
    return try await context.backend.previewLogIn(customer, from: customerID)
  }

  /// Previews ``restorePurchases()``: the customers that would be merged, and the entitlements that would move.
  ///
  /// It reads the store's transactions on this device, without a sign-in to the store account.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `store_error`, `forbidden` if the backend has no previews,
  ///   and those of the backend.
  public func previewRestore() async throws(LedgerError) -> IdentityPreview {
    let evidence: [StoreEvidence]
    do throws(StoreFailure) { evidence = try await context.storefront.all() } catch {
      throw context.storeError(error)
    }
    return try await context.backend.previewRestore(
      evidence.filter { $0.unverified == nil }.map(\.receipt), customer: customerID, sharing: restoreSharing)
  }
}
