/// The UUID keys after a bound, so that a key that is not among them needs no search.
///
/// Keys that begin with their time are after all earlier keys, or nearly: those of concurrent callers arrive a little
/// out of order. The keys are the last few thousand in the order of arrival. Dropping the older half raises the bound
/// to the greatest key of that half. With keys in random order the bound is soon near the greatest possible key, and
/// then nearly every key is searched and none is kept. At most 1 MiB.
struct RecentKeys {
  typealias UUID = (high: UInt64, low: UInt64)

  private struct Half {
    /// Equal values of different keys cost only a search.
    var values: Set<UInt64> = []
    var greatest: UUID = (0, 0)
  }

  /// All UUIDs of the table after it are in one of the halves.
  private var bound: UUID
  private var older = Half()
  private var newer = Half()
  private let halfCount: Int

  /// - Parameter bound: The greatest UUID of the table.
  init(after bound: UUID, halfCount: Int = 4096) {
    self.bound = bound
    self.halfCount = halfCount
  }

  /// Whether the table certainly lacks the key, of any customer.
  func lacks(_ key: UUID) -> Bool {
    guard key > bound else { return false }
    let value = Self.value(key)
    return !newer.values.contains(value) && !older.values.contains(value)
  }

  mutating func insert(_ key: UUID) {
    guard key > bound else { return }
    newer.values.insert(Self.value(key))
    newer.greatest = max(newer.greatest, key)
    guard newer.values.count >= halfCount else { return }
    bound = max(bound, older.greatest)
    older = newer
    newer = Half()
  }

  private static func value(_ key: UUID) -> UInt64 { key.high &* 0x9E37_79B9_7F4A_7C15 ^ key.low }
}

private func max(_ one: RecentKeys.UUID, _ other: RecentKeys.UUID) -> RecentKeys.UUID { one > other ? one : other }
