internal import GemLedger

/// Consecutive periods, each from one boundary to the next.
struct Periods {
  let boundaries: [Timestamp]

  /// - Parameter noun: The name of the periods in messages, such as `days`.
  /// - Throws: In order of precedence, `limit_exceeded`, `invalid_request` if the boundaries do not ascend.
  init(between boundaries: [Timestamp], limit: Int, of noun: String) throws(LedgerError) {
    guard boundaries.count <= limit + 1 else {
      throw LedgerError(
        .limitExceeded, "\(boundaries.count - 1) \(noun) are too many for one request: \(limit) at most.",
        details: [.integer("limit", Int64(limit))])
    }
    guard boundaries.count > 1, zip(boundaries, boundaries.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw .invalid("The \(noun) need at least two instants in ascending order.")
    }
    self.boundaries = boundaries
  }

  /// Returns the number of boundaries up to the instant: 0 before the first period, 1 in it.
  func position(of instant: Timestamp) -> Int {
    var (low, high) = (0, boundaries.count)
    while low < high {
      let middle = (low + high) / 2
      if boundaries[middle] <= instant { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
