internal import StoreBackend

/// The refunds that the backend was told of, so that a start does not repeat them: for each store transaction its last
/// posted revision.
///
/// It is bounded, and forgets the oldest entries; a forgotten one is posted once more, which changes nothing.
struct PostedRefunds: Hashable, Sendable {
  static let countMax = 1000

  private var revisions: [ReceiptKey: String] = [:]
  /// The oldest first.
  private var order: [ReceiptKey] = []

  var count: Int { order.count }
  /// As they came.
  var all: [(key: ReceiptKey, revision: String)] { order.map { ($0, revisions[$0] ?? "") } }

  /// The revision that the backend knows; nil where it was told of no refund.
  subscript(_ key: ReceiptKey) -> String? { revisions.isEmpty ? nil : revisions[key] }

  /// The backend has taken this revision: one that states a refund, or one that states none any more.
  mutating func note(_ key: ReceiptKey, _ revision: String) {
    if revision.isEmpty, revisions.isEmpty { return }
    if revisions.removeValue(forKey: key) != nil { order.removeAll { $0 == key } }
    guard !revision.isEmpty else { return }
    revisions[key] = revision
    order.append(key)
    if order.count > Self.countMax { revisions[order.removeFirst()] = nil }
  }
}
