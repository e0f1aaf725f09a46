/// The open listings of the store's transactions, and the receipts that were finished in the meantime.
///
/// A listing can be older than the end of a receipt in it. Without this set, the receipt would enter the queue and be
/// posted again.
struct Listings: Sendable {
  private var openCount = 0
  /// The receipts that were finished since the first open listing began.
  private(set) var finished: Set<ReceiptKey> = []

  mutating func open() { openCount += 1 }

  mutating func close() {
    openCount -= 1
    if openCount == 0 { finished = [] }
  }

  mutating func note(_ events: [QueueEvent]) {
    guard openCount > 0 else { return }
    for case .finished(let key) in events { finished.insert(key) }
  }
}
