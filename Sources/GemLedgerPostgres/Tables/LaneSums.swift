#if PostgreSQL
internal import GemLedger

/// The sums of all rows' digests: each lane keeps the sums of its groups' rows.
enum LaneSums {
  /// Adds the sums of all lanes; nil if one of them is not counted yet.
  static func total(_ lanes: [[Int64]?]) -> [Int64]? {
    var total = RecordSums().values
    for sums in lanes {
      guard let sums, sums.count == total.count else { return nil }
      for index in total.indices { total[index] &+= sums[index] }
    }
    return total
  }

  /// Returns the text form of a list for the server.
  static func text(_ sums: [Int64]) -> String { "{\(sums.map(String.init).joined(separator: ","))}" }
}
#endif
