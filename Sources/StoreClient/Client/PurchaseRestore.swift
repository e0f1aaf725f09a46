internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// Restores the purchases of the store account.
struct PurchaseRestore: ClientPart {
  let context: ClientContext

  func restore(_ sharing: EntitlementSharing) async throws(LedgerError) -> CustomerInfo {
    let customer = appUserID
    await context.register(customer)
    let evidence: [StoreEvidence]
    do throws(StoreFailure) {
      try await context.storefront.sync()
      evidence = try await context.storefront.all()
    } catch { throw context.storeError(error) }
    // Uncredited purchases are posted as usual.
    await pipeline.sweep { customer }
    let receipts = evidence.filter { $0.unverified == nil }.map(\.receipt)
    let generation = context.session.withLock { $0.infoGeneration }
    let record = try await backend.restore(receipts, customer: customer, sharing: sharing)
    // The restore also informed the backend about every refund.
    let told = queue.read { state in evidence.filter { state.items[$0.key] == nil && state.isNewRefundNotice($0) } }
    if !told.isEmpty { queue.noteLazily(told.map { .refundPosted($0.key, revision: $0.revision) }) }
    context.balances.withLock { $0.invalidate() }
    let info = CustomerInfo(record)
    // After a purchase or a change of user in the meantime, the answer is outdated or another customer's.
    customerInfo.take(info, askedIn: generation)
    return info
  }
}
