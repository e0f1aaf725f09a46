#if PostgreSQL
internal import GemLedger

/// The distribution of customers over lanes.
struct LaneLayout: Hashable, Sendable {
  /// For each lane the number of its lane row, below the numbers of customers.
  let heads: [CustomerNumber]
  /// For each lane its value in the column `lane` on a distributed engine, each on a separate shard.
  let keys: [Int32]
  /// A number that changes when customers are redistributed.
  let version: Int64
  /// Whether the lanes are the shards of a distributed engine.
  let isDistributed: Bool

  /// - Parameter keys: The values of the lanes, if they are the shards of a distributed engine.
  init(count: Int, keys: [Int32]? = nil, version: Int64, isDistributed: Bool) {
    heads = (0..<count).map { CustomerNumber(-1 - $0) }
    self.keys = keys ?? (0..<Int32(count)).map(\.self)
    self.version = version
    self.isDistributed = isDistributed
  }

  var count: Int { heads.count }

  /// Returns the lane of a customer's number or of a lane row; merges have no effect.
  ///
  /// A ledger is usually distributed when it already has customers with numbers from few lanes. So on a distributed
  /// engine the lane depends on the whole number, not on the lane that assigned it.
  func lane(of customer: CustomerNumber) -> Int {
    if customer < 0 { return min(count - 1, Int(-1 - customer)) }
    guard isDistributed else { return Int(Numbering.lane(of: customer)) % count }
    return LaneHash.lane(of: customer, count: count)
  }

  /// Returns the value of the column `lane` in the customer's rows.
  func key(of customer: CustomerNumber) -> Int32 { keys[lane(of: customer)] }

  /// Returns the distinct lanes of the customers.
  func keys(of customers: [CustomerNumber]) -> [Int32] { Set(customers.map(key)).sorted() }

  /// Returns the lane in which an unused id becomes a customer, the same for all concurrent processes.
  func lane(ofNew id: String) -> Int {
    var hash = StableHash()
    hash.combine(id)
    return Int(hash.value % UInt64(count))
  }

  /// Returns the lowest customer number above the given one that the lane may assign.
  func customer(after last: Int64, lane: Int) -> CustomerNumber {
    var number = Self.number(after: last, lane: lane)
    while isDistributed, LaneHash.lane(of: number, count: count) != lane {
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

/// The distribution of customers over a distributed engine's lanes: PostgreSQL's hash, divided into equal ranges.
///
/// The server can compute it too, when it assigns lanes to rows.
enum LaneHash {
  static func lane(of number: CustomerNumber, count: Int) -> Int {
    let position = UInt64(Int64(hash(number)) - Int64(Int32.min))
    return min(count - 1, Int(position / width(count)))
  }

  /// Returns the width of a lane's range.
  private static func width(_ count: Int) -> UInt64 { (UInt64(1) << 32) / UInt64(count) }

  /// Returns SQL for the lane of the column `customer`, or of a lane row.
  static func sql(_ count: Int) -> String {
    """
    CASE WHEN customer < 0 THEN least(\(count - 1), -1 - customer)
      ELSE least(\(count - 1), (hashint8(customer)::bigint + 2147483648) / \(width(count))) END
    """
  }

  /// PostgreSQL's `hashint8`.
  static func hash(_ number: Int64) -> Int32 {
    let low = UInt32(truncatingIfNeeded: number)
    let high = UInt32(truncatingIfNeeded: number >> 32)
    return Int32(bitPattern: hash(low ^ (number >= 0 ? high : ~high)))
  }

  // Bob Jenkins's final mix, as in PostgreSQL's `hash_bytes_uint32`.
  private static func hash(_ word: UInt32) -> UInt32 {
    let start: UInt32 = 0x9E37_79B9 &+ 4 &+ 3_923_095
    var (a, b, c) = (start &+ word, start, start)
    func turned(_ value: UInt32, _ bits: UInt32) -> UInt32 { value << bits | value >> (32 - bits) }
    c = (c ^ b) &- turned(b, 14)
    a = (a ^ c) &- turned(c, 11)
    b = (b ^ a) &- turned(a, 25)
    c = (c ^ b) &- turned(b, 16)
    a = (a ^ c) &- turned(c, 4)
    b = (b ^ a) &- turned(a, 14)
    c = (c ^ b) &- turned(b, 24)
    return c
  }
}
#endif
