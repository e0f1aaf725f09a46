#if PostgreSQL
internal import GemLedger

/// How customers are spread over lanes.
struct LaneLayout: Hashable, Sendable {
  /// For each lane the number under which its own row lies: below those of customers.
  let heads: [CustomerNumber]
  /// For each lane its value in the column `lane` on a distributed engine; each lies on a shard of its own.
  let keys: [Int32]
  /// Changes when customers are spread anew.
  let version: Int64
  /// Whether the lanes are the shards of a distributed engine.
  let isDistributed: Bool

  /// - Parameter keys: One for each lane, where they are the shards of a distributed engine.
  init(count: Int, keys: [Int32]? = nil, version: Int64, isDistributed: Bool) {
    heads = (0..<count).map { CustomerNumber(-1 - $0) }
    self.keys = keys ?? (0..<Int32(count)).map(\.self)
    self.version = version
    self.isDistributed = isDistributed
  }

  var count: Int { heads.count }

  /// The lane of a customer's own number, or of a lane's own row; merges are not counted.
  ///
  /// A ledger is mostly spread when it has customers, whose numbers came from a few lanes. So on a distributed engine
  /// the lane follows from all of the number, and not from the lane that drew it.
  func lane(of customer: CustomerNumber) -> Int {
    if customer < 0 { return min(count - 1, Int(-1 - customer)) }
    guard isDistributed else { return Int(Numbering.lane(of: customer)) % count }
    return LaneHash.lane(of: customer, count: count)
  }

  /// The value of the column `lane` in the customer's rows.
  func key(of customer: CustomerNumber) -> Int32 { keys[lane(of: customer)] }

  /// The lanes of the customers, each once.
  func keys(of customers: [CustomerNumber]) -> [Int32] { Set(customers.map(key)).sorted() }

  /// The lane in which an unused id becomes a customer: the same for all processes that ask at once.
  func lane(ofNew id: String) -> Int {
    var hash = StableHash()
    hash.combine(id)
    return Int(hash.value % UInt64(count))
  }

  /// The smallest customer's number above that one which the lane may give.
  func customer(after last: Int64, lane: Int) -> CustomerNumber {
    var number = Self.number(after: last, lane: lane)
    while isDistributed, LaneHash.lane(of: number, count: count) != lane {
      number = Self.number(after: number, lane: lane)
    }
    return number
  }

  /// The smallest number above that one which carries the lane.
  static func number(after last: Int64, lane: Int) -> Int64 {
    let step = Numbering.sparse(lane: Int64(lane)).step
    let number = last / step * step + Int64(lane)
    return number > last ? number : number + step
  }
}

/// How customers are spread over the lanes of a distributed engine: by PostgreSQL's own hash, cut into equal ranges.
///
/// The server can tell it too, where it gives rows their lanes.
enum LaneHash {
  static func lane(of number: CustomerNumber, count: Int) -> Int {
    let position = UInt64(Int64(hash(number)) - Int64(Int32.min))
    return min(count - 1, Int(position / width(count)))
  }

  /// Of a lane's range.
  private static func width(_ count: Int) -> UInt64 { (UInt64(1) << 32) / UInt64(count) }

  /// The lane of the column `customer`, or of a lane's own row, in SQL.
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

  // Bob Jenkins's final mix, as PostgreSQL's `hash_bytes_uint32` has it.
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
