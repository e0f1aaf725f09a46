internal import GemLedger

extension Duration {
  /// Milliseconds, rounded down; what passes 64 bits becomes the nearest bound.
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return carry ? (seconds < 0 ? .min : .max) : sum
  }
}

extension Timestamp {
  /// The instant that much later, or the last one there is.
  func advanced(by duration: Duration) -> Timestamp { advanced(milliseconds: duration.wholeMilliseconds) }

  func advanced(milliseconds step: Int64) -> Timestamp {
    let (sum, overflow) = milliseconds.addingReportingOverflow(step)
    return Timestamp(milliseconds: overflow ? (step < 0 ? .min : .max) : sum)
  }
}
