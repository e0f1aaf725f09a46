internal import GemLedger

/// The end of an export, from which the next export continues.
///
/// It is in an export's last line. Only the ledger makes cursors; it rejects forged ones.
public struct ExportCursor: Hashable, Sendable, CustomStringConvertible {
  /// The cursor as text to store and send back: letters, digits, `-` and `_`, at most 6,000 characters.
  public let description: String

  /// Makes a cursor from its text; the ledger checks it when it is used.
  public init(_ text: String) { description = text }

  init(_ position: ExportPosition, salt: UInt64) {
    let bytes = position.bytes
    description = Base64URL.text(Self.tag(bytes, salt: salt) + bytes)
  }

  /// Returns the cursor's position.
  ///
  /// - Throws: `invalid_request` if another project made the cursor.
  func position(salt: UInt64) throws(LedgerError) -> ExportPosition {
    guard description.utf8.count <= Self.lengthMax, let bytes = Base64URL.decode(description),
      let position = ExportPosition(bytes: bytes.dropFirst(Self.tagLength)), Self(position, salt: salt) == self
    else {
      throw .invalid(
        "\"\(description.prefix(60))\" is not a cursor of this ledger's exports; the last line of each has one.")
    }
    return position
  }

  private static let lengthMax = 6000
  private static let tagLength = 5

  private static func tag(_ bytes: [UInt8], salt: UInt64) -> [UInt8] {
    // A seed different from that of other cursors and ids.
    var hash = StableHash(seed: salt ^ 0x6578_706F_7274)
    for byte in bytes { hash.combine(UInt64(byte)) }
    return (0..<tagLength).map { UInt8(truncatingIfNeeded: hash.value >> (8 * UInt64($0))) }
  }
}

/// The sections that are exported whole if any of their rows changed.
enum ExportSection: Int, CaseIterable {
  case addedIDs
  case refusals
  case evidence
  case orders
  case accountTokens
  case entitlements
}

/// The extent of all exports up to now.
struct ExportPosition: Hashable {
  var feed = FeedPosition()
  var transactions: Int64 = 0
  var entries: Int64 = 0
  var catalogVersion: Int64 = 0
  var environment: Int64 = 0
  /// The highest number of a customer, if numbers are in commit order.
  var customer: CustomerNumber = 0
  var purchase: Int64 = 0
  /// The highest lot number of each lane.
  var lots: [Int64: LotNumber] = [:]
  /// The contents of the sections, as sums of line hashes.
  var sections = [UInt64](repeating: 0, count: ExportSection.allCases.count)
  /// The ledger's sums of the sections that have some; nil in cursors of earlier versions.
  var sums: Sums?

  struct Sums: Hashable {
    var addedIDs: Int64
    var accountTokens: Int64

    init(addedIDs: Int64, accountTokens: Int64) {
      self.addedIDs = addedIDs
      self.accountTokens = accountTokens
    }

    init(_ sums: RecordSums) { self.init(addedIDs: sums.addedIDs, accountTokens: sums.accountTokens) }
  }

  // MARK: As bytes

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    let feed = feed.bytes
    for number in [Int64(feed.count), transactions, entries, catalogVersion, environment, customer, purchase] {
      Self.append(UInt64(bitPattern: number), to: &bytes)
    }
    bytes += feed
    Self.append(UInt64(lots.count), to: &bytes)
    for (lane, lot) in lots.sorted(by: { $0.key < $1.key }) {
      Self.append(UInt64(bitPattern: lane), to: &bytes)
      Self.append(UInt64(bitPattern: lot), to: &bytes)
    }
    for sum in sections { Self.append(sum, to: &bytes) }
    if let sums {
      Self.append(UInt64(bitPattern: sums.addedIDs), to: &bytes)
      Self.append(UInt64(bitPattern: sums.accountTokens), to: &bytes)
    }
    return bytes
  }

  init() {}

  /// Reads a position from its ``bytes``.
  init?(bytes: ArraySlice<UInt8>) {
    var rest = bytes
    var numbers: [Int64] = []
    while numbers.count < 7 {
      guard let number = Self.number(&rest), let number = Int64(exactly: number) else { return nil }
      numbers.append(number)
    }
    guard numbers[0] <= rest.count, let feed = FeedPosition(bytes: rest.prefix(Int(numbers[0]))) else { return nil }
    rest = rest.dropFirst(Int(numbers[0]))
    self.feed = feed
    (transactions, entries, catalogVersion) = (numbers[1], numbers[2], numbers[3])
    (environment, customer, purchase) = (numbers[4], numbers[5], numbers[6])
    guard let count = Self.number(&rest), count <= UInt64(Numbering.laneCountMax) else { return nil }
    for _ in 0..<count {
      guard let lane = Self.number(&rest), let lot = Self.number(&rest), let lane = Int64(exactly: lane),
        let lot = Int64(exactly: lot)
      else { return nil }
      lots[lane] = lot
    }
    for index in sections.indices {
      guard let sum = Self.number(&rest) else { return nil }
      sections[index] = sum
    }
    if rest.isEmpty { return }
    guard let ids = Self.number(&rest), let tokens = Self.number(&rest), rest.isEmpty else { return nil }
    sums = Sums(addedIDs: Int64(bitPattern: ids), accountTokens: Int64(bitPattern: tokens))
  }

  /// Seven bits per byte, the lowest first; a set top bit means that more bytes follow.
  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }
}
