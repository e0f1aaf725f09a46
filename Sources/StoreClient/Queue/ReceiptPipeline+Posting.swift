internal import GemLedger
internal import StoreBackend

extension ReceiptPipeline {
  /// Posts one receipt in a separate task: if a closed screen cancels its task, the post continues.
  func post(_ item: QueueItem) async throws(LedgerError) -> ReceiptAnswer {
    let answer = await Task { () async -> Result<ReceiptAnswer, LedgerError> in
      do throws(LedgerError) { return .success(try await send(item)) } catch { return .failure(error) }
    }.value
    return try answer.get()
  }

  /// Posts it directly, or as the second step of its order.
  private func send(_ item: QueueItem) async throws(LedgerError) -> ReceiptAnswer {
    let receipt = item.receipt
    let post = ReceiptPost(
      receipt: receipt.receipt, customer: receipt.buyer, source: receipt.source, orderSearch: orderSearch(for: receipt))
    guard let order = receipt.order else { return try await backend.post(post) }
    do throws(LedgerError) {
      return try await backend.completePayment(order, post: post)
    } catch  where error.code == .orderNotFound {
      // A paid purchase is credited with or without its order.
      return try await backend.post(post)
    }
  }

  /// A purchase that this device did not begin may also pay for an order: an order of an earlier installation, or of
  /// another device.
  private func orderSearch(for receipt: QueuedReceipt) -> ReceiptPost.OrderSearch {
    guard !receipt.isAnnounced, receipt.revision.isEmpty, receipt.source != .refunds else { return .none }
    return settings.isTwoStep ? .findOrOpen : .find
  }
}
