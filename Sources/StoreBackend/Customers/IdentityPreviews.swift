internal import GemLedger

/// Previews sign-ins, aliases and restores by the rules of the calls themselves.
struct IdentityPreviews: Sendable {
  let context: BackendContext

  func logIn(
    _ id: CustomerID, from current: CustomerID, isProven: Bool = true
  ) throws(LedgerError) -> IdentityPreview {
    try UserID.check(id)
    var preview = try preview(of: id)
    guard UserID.isAnonymous(current), current != id else { return preview }
    preview.merges = try anonymousMerge(of: current, into: id, isProven: isProven).map { [$0] } ?? []
    return preview
  }

  func createAlias(_ alias: CustomerID, of customer: CustomerID) throws(LedgerError) -> IdentityPreview {
    try UserID.check(alias)
    try UserID.check(customer)
    var preview = try preview(of: alias)
    do throws(LedgerError) {
      preview.merges = [try context.ledger.previewMerge(from: alias, into: customer)]
    } catch {
      // The call itself would create an unknown customer.
      guard error.code == .sameCustomer || error.code == .customerNotFound else { throw error }
    }
    return preview
  }

  func restore(
    _ receipts: [StoreReceipt], customer: CustomerID, sharing: EntitlementSharing, merges: Bool = true
  ) throws(LedgerError) -> IdentityPreview {
    try UserID.check(customer)
    var preview = try preview(of: customer)
    var refusal: LedgerError?
    var isAnyTaken = false
    for receipt in receipts {
      do throws(LedgerError) {
        try add(context.verifier.verify(receipt), to: &preview, sharing, merges: merges)
        isAnyTaken = true
      } catch {
        guard !error.code.meansNothingIsKnown else { throw error }
        refusal = refusal ?? error
      }
    }
    if let refusal, !isAnyTaken { throw refusal.adding(.text("request_id", context.newRequestID())) }
    return preview
  }

  private func preview(of id: CustomerID) throws(LedgerError) -> IdentityPreview {
    let isKnown = try context.reading { (view, _) throws(LedgerError) in try view.customers.find(id) != nil }
    return IdentityPreview(customer: id, isCreated: !isKnown)
  }

  /// Returns the merge of a customer with only anonymous ids; nil without a merge.
  private func anonymousMerge(
    of owner: CustomerID, into id: CustomerID, isProven: Bool = true
  ) throws(LedgerError) -> MergePreview? {
    do throws(LedgerError) {
      return try MergePreview(anonymous: owner, into: id, isProven: isProven, in: context.ledger)
    } catch {
      switch error.code {
      // Neither customer exists: the call creates one with both ids.
      case .sameCustomer, .customerNotFound: return nil
      case .conditionFailed where error.text("condition") == "anonymous": return nil
      default: throw error
      }
    }
  }

  /// Adds the effect of restoring one purchase.
  private func add(
    _ transaction: StoreTransaction, to preview: inout IdentityPreview, _ sharing: EntitlementSharing, merges: Bool
  ) throws(LedgerError) {
    let customer = preview.customer
    let (owner, isCredited, isAnonymous) = try context.reading {
      (view, productIndex) throws(LedgerError) -> (CustomerID?, Bool, Bool) in
      let lookup = try TransactionLookup(
        of: transaction, customer: customer, order: nil, in: view, productIndex,
        digest: context.verifier.digest)
      let owner = try lookup.known.map { (known) throws(LedgerError) in
        try view.purchases.owner(of: known, asNamedBy: customer)
      }
      let own = try view.customers.find(customer)
      let ids = try own.flatMap { (own) throws(LedgerError) in try view.customers.identity(of: own)?.ids } ?? [customer]
      let buyer = owner ?? lookup.buyer
      let other = try view.customers.find(buyer)
      let isOwn = buyer == customer || other != nil && other == own
      return (isOwn ? nil : buyer, lookup.known != nil, ids.allSatisfy(\.isAnonymous))
    }
    if !isCredited { preview.uncredited.append(transaction.creditID) }
    guard let owner else { return }
    if merges, let merge = try anonymousMerge(of: owner, into: customer) { return preview.add(merge) }
    switch EntitlementSharing.Step(sharing, merges: merges && !isAnonymous, owner: owner) {
    case .merge: preview.add(try context.ledger.previewMerge(from: owner, into: customer))
    case .moveEntitlement: preview.movedEntitlements.append(transaction.creditID)
    case .nothing: break
    }
  }
}

extension IdentityPreview {
  /// Several purchases of one owner are one merge.
  fileprivate mutating func add(_ merge: MergePreview) {
    if !merges.contains(where: { $0.from == merge.from }) { merges.append(merge) }
  }
}

extension EntitlementSharing {
  /// The effect of a restore on a purchase of another customer that signed in.
  enum Step: Hashable {
    case merge
    case moveEntitlement
    case nothing

    /// - Parameters:
    ///   - merges: Whether the rule may merge two customers: never if one has only anonymous ids.
    ///   - owner: The owner of the purchase.
    init(_ sharing: EntitlementSharing, merges: Bool, owner: CustomerID) {
      switch sharing {
      // An anonymous customer gets no wallet of a signed-in customer; of an erased customer only the entitlement moves.
      case .alias where merges && !owner.isOfErased: self = .merge
      case .alias, .transfer: self = .moveEntitlement
      case .keepWithOwner: self = .nothing
      }
    }
  }
}
