internal import GemLedger
internal import StoreBackend

extension ReceiptPipeline {
  /// Posts one receipt: plainly, or as the second step of its order.
  func post(_ item: QueueItem) async throws(LedgerError) -> ReceiptAnswer {
    let receipt = item.receipt
    let post = ReceiptPost(receipt: receipt.receipt, customer: receipt.buyer, source: receipt.source)
    guard let order = try await order(for: receipt) else { return try await backend.post(post) }
    do throws(LedgerError) {
      return try await backend.completePayment(order, post: post)
    } catch  where error.code == .orderNotFound {
      // What was paid for is credited, order or not.
      return try await backend.post(post)
    }
  }

  /// The order that was made before the payment, or one made now where the app lost it, as after a new installation.
  private func order(for receipt: QueuedReceipt) async throws(LedgerError) -> PurchaseCode? {
    if let order = receipt.order { return order }
    guard settings.isTwoStep, receipt.revision.isEmpty, receipt.source != .refunds, let product = receipt.product else {
      return nil
    }
    let request = OrderRequest(
      customer: receipt.buyer, product: product, quantity: receipt.quantity, store: receipt.key.store,
      bundleID: receipt.bundleID, key: Self.replayKey(receipt.key))
    do throws(LedgerError) {
      return try await backend.initPayment(request).code
    } catch {
      guard PostVerdict(error.code) == .deadLetter else { throw error }
      return nil
    }
  }

  /// The same for every replay of a store transaction, so that all of them are one order.
  private static func replayKey(_ key: ReceiptKey) -> IdempotencyKey {
    func word(seed: UInt64) -> UInt64 {
      var hash = StableHash(seed: seed)
      hash.combine(key.description)
      return hash.value
    }
    let high = word(seed: 0x7265_706C) & ~0xF000 | 8 << 12
    let low = 2 << 62 | word(seed: 0x6179_6564) >> 2
    return IdempotencyKey(unchecked: HexForm.uuid(high: high, low: low))
  }
}
