/// A step of a purchase that is done for good; for those who want to see what a crash right after it leaves.
package enum PurchaseStep: String, CaseIterable, Sendable {
  /// The store took the money.
  case paid
  /// The receipt is in the durable queue.
  case queued
  /// The backend credited it.
  case credited
  /// The queue knows that it is credited.
  case finishOnly = "finish_only"
  /// The store knows that it is credited.
  case finished
}
