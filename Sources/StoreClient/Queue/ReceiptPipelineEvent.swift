public import GemLedger

/// An event of a receipt in the pipeline: closed, so that a `switch` needs no default.
public enum ReceiptPipelineEvent: Hashable, Sendable {
  /// A receipt entered the queue.
  case queued(ReceiptQueueItem)
  /// A receipt arrived that is in the queue already.
  case duplicateSkipped(ReceiptQueueItem)
  /// It is credited, now or earlier.
  case posted(ReceiptQueueItem)
  /// The post failed, and is repeated at ``ReceiptQueueItem/nextAttemptAt``.
  case retryScheduled(ReceiptQueueItem)
  /// It was refused for good and stays unfinished at the store.
  case deadLettered(ReceiptQueueItem)
  /// It is to be posted again.
  case requeued(ReceiptQueueItem)
  /// The store knows the credit; the receipt has left the queue.
  case finished(ReceiptQueueItem)
  /// It took too long; its grants are shown as provisional.
  case provisional(ReceiptQueueItem)
  /// The progress in a backlog: receipts done, and receipts found up to now.
  case progress(done: Int, seen: Int)
  /// A part of the queue's file could not be read and was set aside.
  case damaged(FileEventLog.Problem)
  /// A record of an unknown kind was read and ignored.
  case unknownRecord(String)
  /// The queue could not be written; purchases continue, and the store redelivers unfinished transactions.
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
    case .progress(let done, let seen): "processed \(done) of \(seen)"
    case .damaged(let problem): "found damage: \(problem)"
    case .unknownRecord(let record): "ignored a record of a newer version: \(record)"
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
