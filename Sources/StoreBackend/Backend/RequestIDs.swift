package import GemLedger
internal import Synchronization

/// Makes unique names of requests.
///
/// They may be guessable, so randomness, which is slow, is read only once.
package final class RequestIDs: Sendable {
  private let seed: UInt64
  private let count = Atomic<UInt64>(0)

  /// - Parameter seed: A random number, so that two processes make different names.
  package init(seed: UInt64) { self.seed = seed }

  package func next(at now: Timestamp) -> String {
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    var generator = CountedNumbers(seed: seed, count: number)
    return IdempotencyKey.timeOrdered(at: now, using: &generator).text
  }
}

/// Numbers that look random, with a different sequence for each count.
private struct CountedNumbers: RandomNumberGenerator {
  let seed: UInt64
  let count: UInt64
  private var position: UInt64 = 0

  init(seed: UInt64, count: UInt64) {
    self.seed = seed
    self.count = count
  }

  mutating func next() -> UInt64 {
    var hash = StableHash(seed: seed)
    hash.combine(count)
    hash.combine(position)
    position += 1
    return hash.value
  }
}
