#if PostgreSQL
internal import GemLedger

/// The distribution of customers over lanes.
struct LaneLayout: Hashable, Sendable {
  /// For each lane the number of its lane row, below the numbers of customers.
  let heads: [CustomerNumber]
  /// A number that changes when customers are redistributed.
  let version: Int64
  /// The distributed engine with a shard for each lane; nil for a single server.
  let cluster: Cluster?

  init(count: Int, version: Int64, cluster: Cluster? = nil) {
    heads = (0..<count).map { CustomerNumber(-1 - $0) }
    self.version = version
    self.cluster = cluster
  }

  var count: Int { heads.count }

  /// Returns the lane of a customer's number or of a lane row; merges have no effect.
  func lane(of customer: CustomerNumber) -> Int {
    if customer < 0 { return min(count - 1, Int(-1 - customer)) }
    return cluster?.lane(of: customer) ?? Int(Numbering.lane(of: customer)) % count
  }

  /// Splits keys into those of one statement each: a distributed engine joins a list only with the tables of one lane.
  func batches<Key>(_ keys: [Key], by customer: (Key) -> CustomerNumber) -> [[Key]] {
    guard cluster != nil else { return [keys] }
    return Array(Dictionary(grouping: keys) { lane(of: customer($0)) }.values)
  }

  /// Returns the lane in which an unused id becomes a customer, the same for all concurrent processes.
  func lane(ofNew id: String) -> Int {
    var hash = StableHash()
    hash.combine(id)
    return Int(hash.value % UInt64(count))
  }

  /// Returns the lowest customer number above the given one that the lane may assign.
  func customer(after last: Int64, lane: Int) -> CustomerNumber {
    var number = Self.number(after: last, lane: lane)
    while let cluster, cluster.lane(of: number) != lane {
      number = Self.number(after: number, lane: lane)
    }
    return number
  }

  /// Returns the lowest number above the given one that contains the lane.
  static func number(after last: Int64, lane: Int) -> Int64 {
    let step = Numbering.sparse(lane: Int64(lane)).step
    let number = last / step * step + Int64(lane)
    return number > last ? number : number + step
  }
}
#endif
