internal import GemLedger

/// The sums of all entries, by currency and kind.
struct EntrySums {
  private static let kindCount = 32
  private var sums = [Int128?](repeating: nil, count: 1024 * Self.kindCount)

  mutating func add(_ entry: EntryRow) {
    let position = Self.position(entry.kind, currency: entry.account.currency)
    sums[position] = (sums[position] ?? 0) + Int128(entry.amount)
  }

  /// Returns the sum of the currency's entries of a kind; nil if there are none.
  func sum(_ kind: EntryKind, currency: Int64) -> Int128? { sums[Self.position(kind, currency: currency)] }

  private static func position(_ kind: EntryKind, currency: Int64) -> Int {
    Int(currency) * kindCount + Int(kind.rawValue)
  }
}

extension Sequence<EntryRow> {
  /// Returns the sums of the entries of one kind, in the order of currency numbers.
  func sums(of kind: EntryKind) -> [(currency: Int64, sum: Int128)] {
    var sums: [Int64: Int128] = [:]
    for entry in self where entry.kind == kind { sums[entry.account.currency, default: 0] += Int128(entry.amount) }
    return sums.inKeyOrder.map { ($0.key, $0.value) }
  }
}

extension Dictionary where Key: Comparable {
  /// The elements sorted by key, so that every run reports its problems in the same order.
  var inKeyOrder: [Element] { count < 2 ? Array(self) : sorted { $0.key < $1.key } }
}
