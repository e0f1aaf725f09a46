internal import GemLedger

/// What is to happen when, earliest first; among equals, first come first served.
struct DueList<Item: Sendable>: Sendable {
  // Latest first, so that what is due is taken from the end.
  private var entries: [(at: Timestamp, item: Item)] = []

  /// When the first of them is due.
  var next: Timestamp? { entries.last?.at }

  /// - Complexity: O(log n) and a move of memory; O(1) where it is due before all others.
  mutating func add(_ item: Item, at instant: Timestamp) {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].at > instant { low = middle + 1 } else { high = middle }
    }
    entries.insert((instant, item), at: low)
  }

  /// Takes the first, if it is due.
  mutating func pop(notAfter now: Timestamp) -> (at: Timestamp, item: Item)? {
    guard let last = entries.last, last.at <= now else { return nil }
    return entries.removeLast()
  }

  mutating func removeAll() { entries.removeAll() }
}
