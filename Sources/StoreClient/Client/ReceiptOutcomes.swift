internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// Reports the outcomes of receipts in the queue to the app.
struct ReceiptOutcomes: ClientPart {
  let context: ClientContext

  /// Returns the outcome of a receipt in the queue.
  func outcome(
    of key: ReceiptKey, _ payment: Payment, _ buyer: CustomerID, _ order: Order?
  ) async -> PurchaseOutcome {
    // The store returns a purchase that was refused before: another tap is another try.
    if queue.read({ $0.items[key]?.canBeRequeued == true }) {
      pipeline.note([.requeued(key, configuration.clock.now())])
    }
    switch await posted(key) {
    case .credited(let answer):
      return PurchaseOutcome(.success(await customerInfo.info(after: answer, buyer)), payment, answer: answer)
    case .done:
      let answer = context.session.withLock { $0.answers[key] }
      return PurchaseOutcome(
        .success(await customerInfo.info(after: answer, buyer)), payment, answer: answer, order: order)
    case .waiting(let error):
      let productID = queue.read { $0.items[key]?.receipt.storeProductID }
      funnel.send(.paymentValidatedFail) { event in
        event.productID = productID
        event.storeTransactionID = key.id
      }
      return PurchaseOutcome(.pendingServerValidation, payment, order: order, failure: error)
    case .refused(let error):
      let result = PurchaseResult.failedServerValidation(
        errorCode: error.code.description, message: error.message, requestID: error.text("request_id"))
      return PurchaseOutcome(result, payment, order: order, failure: error)
    case nil:
      return PurchaseOutcome(.pendingServerValidation, payment, order: order)
    }
  }

  /// Returns the receipt's outcome within the time limit of a purchase; nil after that.
  private func posted(_ key: ReceiptKey) async -> PostOutcome? {
    guard let timeout = configuration.validationTimeout, !configuration.mode.isLocal else {
      return await pipeline.postNow([key])[key]
    }
    let (pipeline, clock) = (pipeline, configuration.clock)
    let deadline = clock.now().advanced(by: timeout)
    let outcome = await first(
      of: { await pipeline.postNow([key])[key] },
      orUntil: { do throws(CancellationError) { try await clock.sleep(deadline) } catch {} })
    return outcome ?? nil
  }
}
