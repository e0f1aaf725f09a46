internal import Foundation

/// How many of its seeds, steps and cells a test plays.
///
/// `GEMLEDGER_TIER` is `quick` (as if unset) or `thorough`. The quick tier plays a part of every kind, the thorough one
/// all.
public enum Tier: String, Sendable {
  case quick
  case thorough

  /// The tier of this process.
  public static let current: Tier = {
    let name = ProcessInfo.processInfo.environment["GEMLEDGER_TIER"] ?? "quick"
    guard let tier = Tier(rawValue: name) else {
      preconditionFailure("GEMLEDGER_TIER is quick or thorough, not \(name)")
    }
    return tier
  }()

  /// The items to play: all of them in the thorough tier; in the quick one a fixed choice, spread over the list.
  ///
  /// - Parameter quickCount: The number of items in the quick tier, at least 1.
  public func items<Item>(_ quickCount: Int, of all: some Collection<Item>) -> [Item] {
    precondition(quickCount > 0, "a test without items tests nothing")
    let all = Array(all)
    guard self == .quick, quickCount < all.count else { return all }
    // One of each stretch of the list, at a place that varies: the list may be a product of shorter ones.
    return (0..<quickCount).map { stretch in
      let (start, end) = (stretch * all.count / quickCount, (stretch + 1) * all.count / quickCount)
      return all[start + ((stretch &* 2_654_435_761) >> 7) % (end - start)]
    }
  }

  /// The length of a stream that cannot be divided: short in the quick tier, long in the thorough one.
  public func length(_ quick: Int, thorough: Int) -> Int { self == .quick ? quick : thorough }

  /// Whether to play the step with that number, from 0: in the quick tier the first one, and then one in so many.
  public func plays(_ step: Int, quickDivisor: Int) -> Bool { self == .thorough || step % quickDivisor == 0 }
}
