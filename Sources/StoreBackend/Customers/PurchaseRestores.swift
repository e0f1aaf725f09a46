package import GemLedger

/// Restores purchases of a store account: credits purchases without a credit, and shares entitlements.
struct PurchaseRestores: Sendable {
  let context: BackendContext
  let registry: CustomerRegistry
  let credits: ReceiptCredits

  /// - Parameter merges: Whether the caller may merge two customers; a receipt can be a copy of another person's
  ///   receipt.
  func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing, merges: Bool = true
  ) async throws(LedgerError) {
    _ = try await registry.register(customer)
    var refusal: LedgerError?
    var isAnyTaken = false
    for receipt in receipts {
      do throws(LedgerError) {
        let evidence = try context.verified(receipt)
        let answer = try await credits.credit(
          evidence, customer: customer, order: nil, search: .find, requestID: context.newRequestID(),
          waitsForBuyer: !merges)
        isAnyTaken = true
        try await share(
          evidence.transaction, ownedBy: answer.booking.customer, with: customer, sharing, merges: merges)
      } catch {
        guard !error.code.meansNothingIsKnown else { throw error }
        refusal = refusal ?? error
      }
    }
    if let refusal, !isAnyTaken { throw refusal.adding(.text("request_id", context.newRequestID())) }
  }

  /// Moves to the restoring customer the part of the purchase that the rule allows.
  private func share(
    _ transaction: StoreTransaction, ownedBy owner: CustomerID, with customer: CustomerID,
    _ sharing: EntitlementSharing, merges: Bool
  ) async throws(LedgerError) {
    let (isSame, isAnonymous) = try context.reading { (view, _) throws(LedgerError) -> (Bool, Bool) in
      let (one, other) = (try view.customers.customer(owner), try view.customers.customer(customer))
      return (one == other, try view.customers.identity(of: other)?.ids.allSatisfy(\.isAnonymous) ?? true)
    }
    guard !isSame else { return }
    // An owner that never signed in counts as the owner of the store account.
    if merges, try await registry.joinAnonymous(owner, to: customer) { return }
    switch EntitlementSharing.Step(sharing, merges: merges && !isAnonymous, owner: owner) {
    case .merge:
      _ = try await context.ledger.book(.createAlias(owner, of: customer))
    case .moveEntitlement:
      _ = try await context.ledger.book(
        .holdEntitlement(
          store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
          customer: customer))
    case .nothing: break
    }
  }
}

extension LedgerError.Code {
  /// Whether the outcome is unknown, so that a retry may have another answer.
  package var meansNothingIsKnown: Bool {
    switch kind {
    case .storageUnavailable, .storageDamaged, .storageForeign, .storageNewer, .inputOutput, .outcomeUnknown,
      .inProgress, .unexpected, .rateLimited, .backendUnreachable, .timedOut, .unauthenticated, .forbidden,
      .clockImplausible:
      true
    default: false
    }
  }
}
