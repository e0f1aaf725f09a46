/// A completed step of a purchase; for tests that crash the process right after it.
package enum PurchaseStep: String, CaseIterable, Sendable {
  /// The store took the money.
  case paid
  /// The receipt is in the durable queue.
  case queued
  /// The backend credited it.
  case credited
  /// The queue contains the credit.
  case finishOnly = "finish_only"
  /// The store knows the credit.
  case finished
}
