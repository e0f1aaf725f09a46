internal import GemLedger

/// A receipt in the queue.
struct QueueItem: Hashable, Sendable {
  /// The original receipt.
  var receipt: QueuedReceipt
  /// Its position in the order of arrival.
  let number: Int64
  var status = ReceiptQueueItem.Status.waiting
  var attemptCount = 0
  var nextAttemptAt: Timestamp
  /// The time of the first post: a balance requested earlier cannot contain its credit.
  var firstPostedAt: Timestamp?
  var provisionalSince: Timestamp?
  var lastError: ReceiptQueueItem.Failure?

  init(_ receipt: QueuedReceipt, number: Int64) {
    self.receipt = receipt
    self.number = number
    nextAttemptAt = receipt.seenAt
  }

  /// Returns the item at another position.
  func numbered(_ number: Int64) -> Self {
    var item = Self(receipt, number: number)
    // An item that was being posted when the process ended waits again.
    item.status = status == .posting ? .waiting : status
    item.attemptCount = attemptCount
    item.nextAttemptAt = nextAttemptAt
    item.firstPostedAt = firstPostedAt
    item.provisionalSince = provisionalSince
    item.lastError = lastError
    return item
  }

  /// The item as the app may see it.
  var view: ReceiptQueueItem {
    ReceiptQueueItem(
      id: receipt.key.description, storeTransactionID: receipt.key.id, status: status, attemptCount: attemptCount,
      customer: receipt.buyer, storeProductID: receipt.storeProductID, product: receipt.product,
      quantity: receipt.quantity, firstSeenAt: receipt.seenAt,
      nextAttemptAt: status == .waiting ? nextAttemptAt : nil, lastError: lastError)
  }
}

// MARK: Transitions

extension QueueItem {
  /// Takes newer evidence of the same transaction.
  ///
  /// - Returns: Whether it changed anything; a redelivery does not.
  mutating func meet(_ newer: QueuedReceipt) -> Bool {
    guard isNews(revision: newer.revision, receipt: newer.receipt), newer.signedAt >= receipt.signedAt else {
      return false
    }
    receipt = receipt.replaced(by: newer)
    if status != .posting { wait(until: newer.seenAt) }
    return true
  }

  /// Returns whether evidence of the transaction has new facts, or may be trusted unlike the present evidence.
  ///
  /// After a change of its keys, a backend trusts newly signed evidence, but not the older evidence in the queue.
  func isNews(revision: String, receipt newer: StoreReceipt) -> Bool {
    guard revision.hasBytes(of: receipt.revision) else { return true }
    let codes: [LedgerError.Code] = [.receiptMalformed, .receiptUnverified]
    return canBeRequeued && codes.contains { $0 == lastError?.code } && newer != receipt.receipt
  }

  mutating func post(at now: Timestamp) {
    guard status == .waiting else { return }
    status = .posting
    attemptCount += 1
    firstPostedAt = firstPostedAt ?? now
  }

  mutating func fail(_ attempt: FailedAttempt, next: Timestamp) {
    guard status == .posting || status == .waiting else { return }
    note(attempt)
    wait(until: next)
  }

  mutating func credit(revision: String) {
    guard status == .posting || status == .waiting else { return }
    lastError = nil
    provisionalSince = nil
    // New evidence arrived during the post of the old.
    guard revision.hasBytes(of: receipt.revision) else { return wait(until: receipt.seenAt) }
    status = .finishOnly
  }

  mutating func refuse(_ attempt: FailedAttempt, revision: String) {
    guard status == .posting || status == .waiting else { return }
    note(attempt)
    provisionalSince = nil
    guard revision.hasBytes(of: receipt.revision) else { return wait(until: receipt.seenAt) }
    status = .deadLettered
  }

  /// Whether another try makes sense: a receipt that the device could not verify is not posted.
  var canBeRequeued: Bool { status == .deadLettered && !receipt.isUnverified }

  mutating func requeue(at now: Timestamp) {
    guard status == .deadLettered else { return }
    wait(until: now)
  }

  private mutating func wait(until next: Timestamp) {
    status = .waiting
    nextAttemptAt = next
  }

  private mutating func note(_ attempt: FailedAttempt) {
    lastError = attempt.failure
    attemptCount = max(attemptCount, attempt.count)
    firstPostedAt = firstPostedAt ?? attempt.firstPostedAt
  }
}
