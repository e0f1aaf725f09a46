internal import GemLedger

/// A queue of scheduled effects, as a binary heap: earliest first; among equals, in the order of insertion.
struct ScheduledEvents<Item: Sendable>: Sendable {
  private struct Entry {
    let at: Timestamp
    let order: UInt64
    let item: Item

    func precedes(_ other: Entry) -> Bool { (at, order) < (other.at, other.order) }
  }

  private var heap: [Entry] = []
  private var nextOrder: UInt64 = 0

  /// When the first of them is due.
  var next: Timestamp? { heap.first?.at }

  /// - Complexity: O(log n).
  mutating func add(_ item: Item, at instant: Timestamp) {
    heap.append(Entry(at: instant, order: nextOrder, item: item))
    nextOrder += 1
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].precedes(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the first, if it is due.
  ///
  /// - Complexity: O(log n).
  mutating func pop(notAfter now: Timestamp) -> (at: Timestamp, item: Item)? {
    guard let first = heap.first, first.at <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    sink()
    return (first.at, first.item)
  }

  private mutating func sink() {
    var parent = 0
    while true {
      let (left, right) = (2 * parent + 1, 2 * parent + 2)
      var least = parent
      if left < heap.count, heap[left].precedes(heap[least]) { least = left }
      if right < heap.count, heap[right].precedes(heap[least]) { least = right }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
