public import GemLedger

/// An event of a receipt on its way: closed, so that a `switch` needs no default.
public enum ReceiptPipelineEvent: Hashable, Sendable {
  /// A receipt came into the queue.
  case queued(ReceiptQueueItem)
  /// A receipt came that is in the queue already.
  case duplicateSkipped(ReceiptQueueItem)
  /// It is credited, now or before.
  case posted(ReceiptQueueItem)
  /// It did not arrive, and is tried again at ``ReceiptQueueItem/nextAttemptAt``.
  case retryScheduled(ReceiptQueueItem)
  /// It was refused for good and stays unfinished at the store.
  case deadLettered(ReceiptQueueItem)
  /// It is to be tried once more.
  case requeued(ReceiptQueueItem)
  /// The store knows that it is credited; it is out of the queue.
  case finished(ReceiptQueueItem)
  /// It took too long; its grants are shown as provisional.
  case provisional(ReceiptQueueItem)
  /// So many of a backlog are done; the bound is how many were seen so far.
  case progress(done: Int, seen: Int)
  /// A part of the queue's file could not be read and was set aside.
  case damaged(FileEventLog.Problem)
  /// A record was read that this version does not know; it is left out.
  case unknownRecord(String)
  /// The queue could not be written; purchases go on, and the store redelivers unfinished transactions.
  case notKept(LedgerError)
}

extension ReceiptPipelineEvent: CustomStringConvertible {
  /// One line for a log, such as `posted gems_300 of alice (apple:sandbox:2000000123456789)`.
  public var description: String {
    switch self {
    case .queued(let item): "queued \(item)"
    case .duplicateSkipped(let item): "skipped a duplicate of \(item)"
    case .posted(let item): "posted \(item)"
    case .retryScheduled(let item):
      "scheduled a retry of \(item) at \(item.nextAttemptAt?.description ?? "once")\(Self.reason(item))"
    case .deadLettered(let item): "dead-lettered \(item)\(Self.reason(item))"
    case .requeued(let item): "requeued \(item)"
    case .finished(let item): "finished \(item)"
    case .provisional(let item): "shows as provisional \(item)"
    case .progress(let done, let seen): "worked off \(done) of \(seen)"
    case .damaged(let problem): "found damage: \(problem)"
    case .unknownRecord(let record): "left out a record of a newer version: \(record)"
    case .notKept(let error): "could not write the queue: \(error.message)"
    }
  }

  private static func reason(_ item: ReceiptQueueItem) -> String {
    item.lastError.map { ": \($0.code), \($0.message)" } ?? ""
  }
}

extension ReceiptQueueItem: CustomStringConvertible {
  /// Product, buyer and id, such as `gems_300 of alice (apple:sandbox:2000000123456789)`.
  public var description: String {
    "\(quantity == 1 ? "" : "\(quantity) ")\(product?.text ?? storeProductID) of \(customer) (\(id))"
  }
}
