internal import StoreBackend

/// The refunds that the backend knows, so that a start does not repeat them: the last posted revision of each store
/// transaction.
///
/// It is bounded, and forgets the oldest entries; a forgotten refund is posted again, which changes nothing.
struct PostedRefunds: Hashable, Sendable {
  static let countMax = 1000

  private var revisions: [ReceiptKey: String] = [:]
  /// The keys, oldest first.
  private var order: [ReceiptKey] = []

  var count: Int { order.count }
  /// All entries in the order of their arrival.
  var all: [(key: ReceiptKey, revision: String)] { order.map { ($0, revisions[$0] ?? "") } }

  /// The revision that the backend knows; nil if it knows no refund.
  subscript(_ key: ReceiptKey) -> String? { revisions.isEmpty ? nil : revisions[key] }

  /// Stores a revision that the backend accepted: with a refund, or without one after a reversal.
  mutating func note(_ key: ReceiptKey, _ revision: String) {
    if revision.isEmpty, revisions.isEmpty { return }
    if revisions.removeValue(forKey: key) != nil { order.removeAll { $0 == key } }
    guard !revision.isEmpty else { return }
    revisions[key] = revision
    order.append(key)
    if order.count > Self.countMax { revisions[order.removeFirst()] = nil }
  }
}
