public import GemLedger

/// The effects of a sign-in, an alias or a restore, none of which is done.
public struct IdentityPreview: Hashable, Sendable {
  /// The id that would be signed in, or that restores.
  public var customer: CustomerID
  /// Whether the backend does not know the id yet.
  public var isCreated: Bool
  /// The customers that would be merged into it, each with the balances and items that would move.
  public var merges: [MergePreview]
  /// The store transactions with an entitlement that would move to it, from an owner that stays another customer.
  public var movedEntitlements: [StoreTransactionID]
  /// The store transactions without a credit, which a restore would post.
  public var uncredited: [StoreTransactionID]

  /// Whether balances or entitlements of another customer would move to this customer.
  public var movesAnything: Bool { !merges.isEmpty || !movedEntitlements.isEmpty }

  /// A preview.
  public init(
    customer: CustomerID, isCreated: Bool = false, merges: [MergePreview] = [],
    movedEntitlements: [StoreTransactionID] = [], uncredited: [StoreTransactionID] = []
  ) {
    self.customer = customer
    self.isCreated = isCreated
    self.merges = merges
    self.movedEntitlements = movedEntitlements
    self.uncredited = uncredited
  }
}

extension PurchaseBackend {
  /// Refuses; a backend with previews implements this method.
  ///
  /// - Throws: `LedgerError` with `forbidden`.
  public func previewLogIn(
    _ id: CustomerID, from current: CustomerID
  ) async throws(LedgerError) -> IdentityPreview { throw .noPreview }

  /// Refuses; a backend with previews implements this method.
  ///
  /// - Throws: `LedgerError` with `forbidden`.
  public func previewRestore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> IdentityPreview { throw .noPreview }
}

extension LedgerError {
  fileprivate static let noPreview = LedgerError(
    .forbidden, "This backend gives clients no preview of an identity call.")
}
