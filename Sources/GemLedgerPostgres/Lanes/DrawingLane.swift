#if PostgreSQL
internal import GemLedger

extension LocatingStatements {
  /// Returns statements that search transactions in the lanes that assigned their numbers.
  ///
  /// A group of one lane assigns numbers there, so on a distributed engine usually one shard responds. Transactions
  /// from before the distribution, and of groups over several lanes, may be in any other lane.
  /// before the ledger was spread, and by groups over several lanes, may lie in any other.
  static func inDrawingLanes(_ numbers: [TransactionNumber], _ layout: LaneLayout) -> [PostgresRequest] {
    let known = numbers.filter { Numbering.lane(of: $0) < layout.count }
    return Dictionary(grouping: known, by: Numbering.lane).map { lane, numbers in
      PostgresRequest("\(select) WHERE t.lane = $1 AND (t.number & 63) = $2 AND t.number = ANY($3)") {
        $0.add(lane: layout.keys[Int(lane)])
        $0.add(lane)
        $0.add(numbers) { $0 }
      }
    }
  }
}
#endif
