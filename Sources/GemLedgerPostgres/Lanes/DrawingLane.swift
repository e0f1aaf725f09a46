#if PostgreSQL
internal import GemLedger

extension LocatingStatements {
  /// Statements that look for transactions in the lanes that drew their numbers.
  ///
  /// A group of one lane draws its numbers there, so on a distributed engine one shard answers mostly. What was booked
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
