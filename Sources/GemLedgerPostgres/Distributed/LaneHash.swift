#if PostgreSQL
internal import GemLedger

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
