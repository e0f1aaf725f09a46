public import GemLedger

extension LocalBackend {
  /// Finds what the store account's purchases give, and moves entitlements by the sharing rule; credits no consumable
  /// a second time.
  ///
  /// A purchase that nobody was credited for is credited here, at once: who restores says that the store account is
  /// theirs. What another customer was credited for stays credited to that customer, and the rule says what becomes of
  /// the entitlement.
  ///
  /// An owner who has nothing but anonymous ids becomes one with the customer, whatever the rule. A customer who has
  /// nothing but anonymous ids never becomes one with an owner who signed in: the entitlement moves, unless the rule
  /// keeps it. Receipts that are refused are left out where others were not.
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
          transaction, customer: customer, order: nil, search: .find, requestID: newRequestID(), waitsForBuyer: false)
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

  /// Gives the restoring customer what the rule lets the purchase give.
  private func share(
    _ transaction: StoreTransaction, ownedBy owner: CustomerID, with customer: CustomerID, _ sharing: EntitlementSharing
  ) async throws(LedgerError) {
    let (isSame, isAnonymous) = try reading { (snapshot, _) throws(LedgerError) -> (Bool, Bool) in
      let (one, other) = (try Self.find(owner, in: snapshot), try Self.find(customer, in: snapshot))
      return (one.number == other.number, try Self.isAnonymous(other, in: snapshot))
    }
    guard !isSame else { return }
    // An owner who never signed in is whoever has the store account.
    if try await joinAnonymous(owner, to: customer) { return }
    switch sharing {
    // Whoever has not signed in gets no wallet of a customer who has; of an erased customer nothing moves but the
    // entitlement.
    case .alias where !isAnonymous && !owner.isOfErased:
      _ = try await ledger.book(.createAlias(owner, of: customer))
    case .alias, .transfer:
      _ = try await ledger.book(
        .holdEntitlement(
          store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
          customer: customer))
    case .keepWithOwner: break
    }
  }

  /// Whether the customer has nothing but anonymous ids.
  private static func isAnonymous(
    _ customer: FoundCustomer, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> Bool {
    guard let row = try snapshot.customer(number: customer.number) else { return true }
    return try Ledger.ids(of: row, in: snapshot).allSatisfy(\.isAnonymous)
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
