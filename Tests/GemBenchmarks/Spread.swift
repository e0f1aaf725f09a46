/// The middle and the range of the values of several rounds.
public struct Spread: Hashable, Sendable {
  /// The middle value, or the mean of the two in the middle; 0 without values.
  public let median: Double
  /// The least value.
  public let least: Double
  /// The greatest value.
  public let greatest: Double

  /// Makes the spread of these values.
  public init(_ values: [Double]) {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    if sorted.isEmpty {
      median = 0
    } else {
      median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
    (least, greatest) = (sorted.first ?? 0, sorted.last ?? 0)
  }

  /// Returns the median, and the range if there are several values.
  func text(_ format: (Double) -> String) -> String {
    least == greatest ? format(median) : "\(format(median)) (\(format(least)) to \(format(greatest)))"
  }
}
