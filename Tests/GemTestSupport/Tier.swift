internal import Foundation

/// How many of its seeds, steps and cells a test plays.
///
/// `GEMLEDGER_TIER` is `quick` (as if unset), `thorough`, or `K/N`. The quick tier plays a part of every kind, the
/// thorough one all. `K/N` is the quick tier and the K-th of N parts of what the thorough one adds: N runs, with K from
/// 0 to N - 1, play everything.
package enum Tier: Equatable, Sendable {
  case quick
  case thorough
  case share(Int, of: Int)

  package static let current = Tier(ProcessInfo.processInfo.environment["GEMLEDGER_TIER"] ?? "quick")

  /// A name that is none of a tier ends the process: a run of the wrong tests would look like a success.
  package init(_ name: String) {
    let parts = name.split(separator: "/").compactMap { Int($0) }
    switch name {
    case "", "quick": self = .quick
    case "thorough": self = .thorough
    default:
      precondition(
        parts.count == 2 && parts[1] > 0 && (0..<parts[1]).contains(parts[0]),
        "GEMLEDGER_TIER is quick, thorough, or K/N with K from 0 to N - 1; not \(name)")
      self = .share(parts[0], of: parts[1])
    }
  }

  /// The items to play: all of them in the thorough tier; in the quick one a fixed choice, spread over the list.
  ///
  /// - Parameter quickCount: The number of items in the quick tier, at least 1.
  package func items<Item>(_ quickCount: Int, of all: some Collection<Item>) -> [Item] {
    precondition(quickCount > 0, "a test without items tests nothing")
    let all = Array(all)
    let quick = Self.choice(quickCount, of: all.count)
    return all.indices.filter { index in
      switch self {
      case .quick: quick.contains(index)
      case .thorough: true
      case .share(let part, let count): quick.contains(index) || index % count == part
      }
    }.map { all[$0] }
  }

  /// One of each stretch of the list, at a place that varies: the list may be a product of shorter ones.
  private static func choice(_ count: Int, of total: Int) -> Set<Int> {
    guard count < total else { return Set(0..<total) }
    return Set(
      (0..<count).map { stretch in
        let (start, end) = (stretch * total / count, (stretch + 1) * total / count)
        return start + ((stretch &* 2_654_435_761) >> 7) % (end - start)
      })
  }

  /// Whether to play one of many steps: in the quick tier about one in so many, by their names.
  package func plays(_ step: String, quickDivisor: Int) -> Bool {
    let number = Self.number(of: step)
    return switch self {
    case .quick: number % UInt64(quickDivisor) == 0
    case .thorough: true
    case .share(let part, let count):
      number % UInt64(quickDivisor) == 0 || number / UInt64(quickDivisor) % UInt64(count) == UInt64(part)
    }
  }

  /// The length of a stream that cannot be divided: short in the quick tier, long in the thorough one.
  ///
  /// In one of N shares it is long, which one depends on the place in the code.
  package func length(_ quick: Int, thorough: Int, file: String = #fileID, line: Int = #line) -> Int {
    switch self {
    case .quick: quick
    case .thorough: thorough
    case .share(let part, let count):
      Self.number(of: "\(file):\(line)") % UInt64(count) == UInt64(part) ? thorough : quick
    }
  }

  /// A number that changes neither with the process nor with the machine, as hash values do.
  private static func number(of name: String) -> UInt64 {
    let sum = name.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return sum >> 20
  }
}
