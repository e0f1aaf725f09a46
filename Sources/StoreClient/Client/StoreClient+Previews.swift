public import GemLedger
public import StoreBackend

// MARK: What an identity call would do

extension StoreClient {
  /// Says what ``logIn(_:)`` with this id would do: which customers would become one, and what would move.
  ///
  /// Nothing is booked, and the signed-in customer stays. Ask before a sign-in that the customer should confirm.
  ///
  /// - Parameter id: The app user id; white space around it does not count.
  /// - Throws: `LedgerError` as ``logIn(_:)``, and `forbidden` where the backend gives no previews.
  public func previewLogIn(_ id: String) async throws(LedgerError) -> IdentityPreview {
    let customer = try AppUserID.checked(id)
    return try await context.backend.previewLogIn(customer, from: customerID)
  }

  /// Says what ``restorePurchases()`` would do: which customers would become one, and which entitlements would move.
  ///
  /// It reads the transactions that the store has on this device, and does not ask the store account to sign in.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `store_error`, `forbidden` where the backend gives no
  ///   previews, and those of the backend.
  public func previewRestore() async throws(LedgerError) -> IdentityPreview {
    let evidence: [StoreEvidence]
    do throws(StoreFailure) { evidence = try await context.storefront.all() } catch {
      throw context.storeError(error)
    }
    return try await context.backend.previewRestore(
      evidence.filter { $0.unverified == nil }.map(\.receipt), customer: customerID, sharing: restoreSharing)
  }
}
