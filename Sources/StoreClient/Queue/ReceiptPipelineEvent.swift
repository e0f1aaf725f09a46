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
