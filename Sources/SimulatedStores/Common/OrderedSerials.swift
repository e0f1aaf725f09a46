/// Serial numbers in ascending order, for lists that mostly grow at the end and shrink at the beginning.
///
/// Appending, removing and finding a position cost O(log n), amortised: a removed number stays as a gap until gaps are
/// half of the list.
struct OrderedSerials: Sendable {
  private struct Entry {
    let serial: UInt64
    var isLive: Bool
  }

  private var entries: [Entry] = []
  private var head = 0
  /// How many there are.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The lowest of them.
  var first: UInt64? { entries[head...].first { $0.isLive }?.serial }

  mutating func insert(_ serial: UInt64) {
    let position = position(of: serial)
    if position < entries.count, entries[position].serial == serial {
      guard !entries[position].isLive else { return }
      entries[position].isLive = true
      head = min(head, position)
    } else {
      entries.insert(Entry(serial: serial, isLive: true), at: position)
      head = min(head, position)
    }
    count += 1
  }

  mutating func remove(_ serial: UInt64) {
    let position = position(of: serial)
    guard position < entries.count, entries[position].serial == serial, entries[position].isLive else { return }
    entries[position].isLive = false
    count -= 1
    while head < entries.count, !entries[head].isLive { head += 1 }
    if entries.count > 32, count * 2 < entries.count { compact() }
  }

  /// At most `limit` of them, above the given one.
  func page(after serial: UInt64?, limit: Int) -> [UInt64] {
    guard limit > 0 else { return [] }
    var page: [UInt64] = []
    let start = serial.map { $0 == .max ? entries.count : position(of: $0 + 1) } ?? 0
    for entry in entries[max(start, head)...] where entry.isLive {
      page.append(entry.serial)
      if page.count == limit { break }
    }
    return page
  }

  var all: [UInt64] { page(after: nil, limit: .max) }

  private mutating func compact() {
    entries.removeAll { !$0.isLive }
    head = 0
  }

  /// The first entry that is not below the number.
  private func position(of serial: UInt64) -> Int {
    if let last = entries.last, last.serial < serial { return entries.count }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].serial < serial { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
