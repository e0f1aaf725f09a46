/// How a storage numbers transactions, entries, customers, lots, purchases and orders.
package enum Numbering: Hashable, Sendable {
  /// Each number is the last number plus one; only one writer at a time draws numbers.
  case dense
  /// Numbers ascend within a lane and follow the clock, so that lanes draw them without coordination.
  ///
  /// A number is a tick of a sixteenth of a millisecond, followed by six bits for the lane. An entry's number is its
  /// transaction's number, followed by twelve bits that count within the transaction. A lane that books faster than the
  /// ticks runs ahead of the clock. That does no harm: numbers give an order, not the time.
  case sparse(lane: Int64)

  /// The number of lanes that numbers have room for.
  package static let laneCountMax = 64
  static let laneBits: Int64 = 6
  package static let entryBits: Int64 = 12

  /// The distance from one number of a lane to the next.
  package var step: Int64 {
    switch self {
    case .dense: 1
    case .sparse: 1 << Self.laneBits
    }
  }

  /// The lane that drew the number.
  package static func lane(of number: Int64) -> Int64 { number & (1 << laneBits - 1) }

  /// The transaction that an entry belongs to.
  package static func transaction(of entry: EntryNumber) -> TransactionNumber { entry >> entryBits }

  /// Returns the range from the first entry number of a transaction to the first one of the next transaction.
  ///
  /// A number that no transaction can have, as in a made-up id, is clamped to the nearest one that could exist.
  package static func entries(of transaction: TransactionNumber) -> Range<EntryNumber> {
    let transaction = min(max(0, transaction), RowBounds.transaction)
    return transaction << entryBits..<(transaction + 1) << entryBits
  }

  // 1 January 2026. From then on, forty-five bits of ticks last sixty-nine years.
  private static let epoch: Int64 = 1_767_225_600_000
  private static let ticksPerMillisecond: Int64 = 16
  private static let tickMax: Int64 = 1 << 45 - 1

  /// The highest number of the lane before the instant.
  static func last(before instant: Timestamp, lane: Int64) -> Int64 {
    let milliseconds = min(max(0, instant.milliseconds - epoch), tickMax / ticksPerMillisecond)
    return max(0, milliseconds * ticksPerMillisecond - 1) << laneBits | lane
  }
}

/// The highest numbers in use and the journal's latest instant.
package struct Sequences: Hashable, Sendable {
  package var transaction: TransactionNumber = 0
  package var entry: EntryNumber = 0
  package var createdAt = Timestamp(milliseconds: 0)
  /// The distance from one number to the next one drawn.
  private var step: Int64 = 1
  private var numbering = Numbering.dense

  package init() {}

  /// Continues a lane's numbers.
  package init(lane: Int64, last: Int64, createdAt: Timestamp) {
    numbering = .sparse(lane: lane)
    step = numbering.step
    // A writer over several lanes left a number of another lane.
    transaction = last / step * step + lane
    self.createdAt = createdAt
  }

  var isDense: Bool { step == 1 }

  /// Skips the numbers that belong to instants before this one.
  mutating func goOn(at instant: Timestamp) {
    guard case .sparse(let lane) = numbering else { return }
    transaction = max(transaction, Numbering.last(before: instant, lane: lane))
  }

  var nextTransaction: TransactionNumber { transaction + step }

  /// The highest number that any lane can draw in the number's tick.
  ///
  /// A writer over several lanes continues after all of theirs.
  func lastBeside(_ number: Int64) -> Int64 { number / step * step + step - 1 }

  @inline(__always)
  mutating func drawTransaction() -> TransactionNumber {
    transaction += step
    if step != 1 { entry = Numbering.entries(of: transaction).lowerBound - 1 }
    return transaction
  }

  @inline(__always)
  mutating func drawEntry() -> EntryNumber {
    entry += 1
    return entry
  }

  /// The count of numbers drawn after the first up to the last.
  func count(from first: Int64, to last: Int64) -> Int? {
    let (quotient, remainder) = (last - first).quotientAndRemainder(dividingBy: step)
    return remainder == 0 ? Int(quotient) : nil
  }
}
