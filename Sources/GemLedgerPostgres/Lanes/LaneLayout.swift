#if PostgreSQL
internal import GemLedger

/// How customers are spread over lanes.
struct LaneLayout: Hashable, Sendable {
  /// For each lane the number under which its own row lies: with the lane's customers.
  let heads: [CustomerNumber]
  /// Changes when customers are spread anew.
  let version: Int64
  /// Whether the lanes are the shards of a distributed engine.
  let isDistributed: Bool

  var count: Int { heads.count }

  /// The lane of a customer's own number, merges not counted.
  func lane(of customer: CustomerNumber) -> Int {
    guard isDistributed else { return Int(Numbering.lane(of: customer)) % count }
    return ShardHash.shard(of: customer, count: count)
  }

  /// The lane in which an unused id becomes a customer: the same for all processes that ask at once.
  func lane(ofNew id: String) -> Int {
    var hash = StableHash()
    hash.combine(id)
    return Int(hash.value % UInt64(count))
  }

  /// The smallest customer's number above that one which the lane may give.
  func customer(after last: Int64, lane: Int) -> CustomerNumber {
    var number = Self.number(after: last, lane: lane)
    while isDistributed, ShardHash.shard(of: number, count: count) != lane {
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

/// How a distributed engine spreads 64-bit integers: by PostgreSQL's own hash, cut into equal ranges.
enum ShardHash {
  static func shard(of number: Int64, count: Int) -> Int {
    let width = (UInt64(1) << 32) / UInt64(count)
    let position = UInt64(Int64(hash(number)) - Int64(Int32.min))
    return min(count - 1, Int(position / width))
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
