public import GemLedger

extension LocalBackend {
  /// Finds what the store account's purchases give, and moves entitlements by the sharing rule; credits no consumable
  /// a second time.
  ///
  /// A purchase that nobody was credited for is credited here, at once: who restores says that the store account is
  /// theirs. What somebody else was credited for stays credited to
  /// them; the rule says what becomes of the entitlement. An anonymous customer on either side shares as with `alias`,
  /// whatever the rule. Receipts that are refused are left out where others were not.
  ///
  /// - Throws: `LedgerError` with `invalid_user_id`; the first refusal as of ``post(_:)`` where every receipt was
  ///   refused; where the storage fails, what it says.
  public func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing
  ) async throws(LedgerError) -> CustomerRecord {
    _ = try await register(customer)
    var refusal: LedgerError?
    var isAnyTaken = false
    for receipt in receipts {
      do throws(LedgerError) {
        let transaction = try verifier.verify(receipt)
        let answer = try await settle(
          transaction, customer: customer, order: nil, requestID: newRequestID(), waitsForBuyer: false)
        isAnyTaken = true
        try await share(transaction, ownedBy: answer.receipt.customer, with: customer, sharing)
      } catch {
        guard !error.code.meansNothingIsKnown else { throw error }
        refusal = refusal ?? error
      }
    }
    if let refusal, !isAnyTaken { throw refusal.adding(.text("request_id", newRequestID())) }
    return try await self.customer(customer)
  }

  private func share(
    _ transaction: StoreTransaction, ownedBy owner: CustomerID, with customer: CustomerID, _ sharing: EntitlementSharing
  ) async throws(LedgerError) {
    let (isSame, isAnonymous) = try reading { (snapshot, _) throws(LedgerError) -> (Bool, Bool) in
      let (one, other) = (try snapshot.customer(owner), try snapshot.customer(customer))
      return (one?.number == other?.number, UserID.isAnonymous(owner) || UserID.isAnonymous(customer))
    }
    guard !isSame else { return }
    switch isAnonymous ? .alias : sharing {
    case .alias: _ = try await ledger.book(.createAlias(owner, of: customer))
    case .transfer:
      _ = try await ledger.book(
        .holdEntitlement(
          store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
          customer: customer))
    case .keepWithOwner: break
    }
  }
}

extension LedgerError.Code {
  /// Whether asking again may give another answer, as opposed to a refusal.
  var meansNothingIsKnown: Bool {
    switch kind {
    case .storageUnavailable, .storageDamaged, .storageForeign, .storageNewer, .inputOutput, .outcomeUnknown,
      .inProgress, .unexpected, .rateLimited, .backendUnreachable, .timedOut, .unauthenticated, .forbidden,
      .clockImplausible:
      true
    default: false
    }
  }
}
