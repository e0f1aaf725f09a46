/// The position of a reader in the feed: the transactions that it has read.
///
/// With one writer, the position is one number, and all transactions up to it were read. With several lanes, a lane may
/// commit a lower number after another lane's higher number. So the position has a number for each lane: within a lane
/// the order of numbers is the order of commits.
package struct FeedPosition: Hashable, Sendable {
  /// All transactions up to this one were read.
  package private(set) var floor: TransactionNumber = 0
  /// For these lanes, all transactions up to a higher number were read.
  private(set) var lanes: [Int64: TransactionNumber] = [:]

  package init(floor: TransactionNumber = 0) { self.floor = floor }

  /// The last transaction of a lane that was read, or one before the lane's first.
  package func last(ofLane lane: Int64) -> TransactionNumber { lanes[lane] ?? floor }

  /// Whether the transaction was read.
  package func covers(_ number: TransactionNumber) -> Bool { number <= last(ofLane: Numbering.lane(of: number)) }

  /// Advances past a page's transactions.
  ///
  /// - Parameter isOrdered: Whether a transaction is never committed after one with a higher number.
  package mutating func advance(past numbers: some Sequence<TransactionNumber>, isOrdered: Bool) {
    for number in numbers {
      if isOrdered {
        floor = max(floor, number)
      } else if !covers(number) {
        lanes[Numbering.lane(of: number)] = number
      }
    }
    let floor = floor
    lanes = lanes.filter { $0.value > floor }
  }
}

// MARK: As bytes

extension FeedPosition {
  // The floor, then each lane with the difference of its tick from the previous lane's: about six bytes a lane.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    Self.append(UInt64(bitPattern: floor), to: &bytes)
    var tick: Int64 = 0
    for (lane, number) in lanes.sorted(by: { $0.key < $1.key }) {
      bytes.append(UInt8(lane))
      let step = number / Self.laneCount - tick
      Self.append(UInt64(bitPattern: step << 1 ^ step >> 63), to: &bytes)
      tick += step
    }
    return bytes
  }

  /// Reads the form of ``bytes``; returns nil for most other bytes.
  package init?(bytes: some Collection<UInt8>) {
    var rest = bytes[...]
    guard let floor = Self.number(&rest), let floor = Int64(exactly: floor) else { return nil }
    self.floor = floor
    var tick: Int64 = 0
    while let lane = rest.popFirst() {
      guard lane < Self.laneCount, let folded = Self.number(&rest) else { return nil }
      let sum = tick.addingReportingOverflow(Int64(bitPattern: folded >> 1 ^ (0 &- folded & 1)))
      tick = sum.partialValue
      guard !sum.overflow, (0...Int64.max / Self.laneCount).contains(tick) else { return nil }
      lanes[Int64(lane)] = tick * Self.laneCount + Int64(lane)
    }
  }

  private static let laneCount = Int64(Numbering.laneCountMax)

  /// Seven bits to a byte, the lowest first; a set top bit means that more follow.
  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func number<Bytes: Collection<UInt8>>(
    _ bytes: inout Bytes
  ) -> UInt64? where Bytes.SubSequence == Bytes {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }
}
