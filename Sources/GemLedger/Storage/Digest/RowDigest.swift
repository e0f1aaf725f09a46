/// A 64-bit digest of one row, the same in every process and for all time.
///
/// Each word is multiplied by a factor of its position, so that no product waits for another. The end mixes their sum,
/// so that two rows cannot exchange a value unnoticed. The digest finds damage, and changes that were made outside the
/// ledger. It is not cryptographic: a forger can make other rows with the same digest.
///
/// Each row's file has the digest of its columns. The digests of the journal leave the numbers of entries out: a copy
/// may draw others, and `verify` proves them. Rows that belong to no transaction are summed up by kind.
package struct RowDigest {
  /// The kind of a row; stored digests depend on the numbers, which never change.
  enum Kind: UInt64 {
    case transaction = 1
    case entry = 2
    case allocation = 3
    case event = 4
    case item = 5
    case note = 6
    case key = 7
    case purchase = 8
    case lotAttributes = 9
    case merge = 10
    case refund = 11
    case refundPart = 12
    case customer = 13
    case addedID = 14
    case accountToken = 15
    case order = 16
    case environment = 17
    case catalogObject = 18
    case catalogVersion = 19
  }

  private var sum: UInt64
  private var factor: UInt64

  private static let position: UInt64 = 0x9E37_79B9_7F4A_7C15

  @inline(__always)
  init(_ kind: Kind) {
    factor = kind.rawValue &* 0xA076_1D64_78BD_642F
    sum = factor
  }

  @inline(__always)
  mutating func add(_ word: UInt64) {
    factor &+= Self.position
    sum &+= Self.fold(word ^ factor, factor | 1)
  }

  @inline(__always)
  mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

  @inline(__always)
  mutating func add(_ instant: Timestamp) { add(instant.milliseconds) }

  /// A missing value and 0 differ.
  mutating func add(_ number: Int64?) {
    add(number == nil ? 0 : 1 as UInt64)
    if let number { add(number) }
  }

  mutating func add(_ price: Money?) {
    add(price?.minorUnits)
    add(price?.currency)
  }

  /// A missing text and the empty text differ.
  mutating func add(_ text: String?) {
    guard let text else { return add(.max as UInt64) }
    add(text)
  }

  @inline(__always)
  mutating func add(_ text: String) {
    // In its stored form: a text of another encoding would be copied first.
    if let digest = text.utf8.withContiguousStorageIfAvailable(adding) {
      self = digest
    } else {
      var copy = text
      self = copy.withUTF8(adding)
    }
  }

  @inline(__always)
  private func adding(_ bytes: UnsafeBufferPointer<UInt8>) -> Self {
    var digest = self
    digest.add(bytes)
    return digest
  }

  @inline(__always)
  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    add(UInt64(bytes.count))
    guard let start = UnsafeRawPointer(bytes.baseAddress) else { return }
    var offset = 0
    while offset + 8 <= bytes.count {
      add(UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    guard offset < bytes.count else { return }
    if offset > 0 {
      // The last eight bytes at once, without those that were added before.
      let last = start.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
      return add(UInt64(bigEndian: last) & (1 << UInt64(8 * (bytes.count - offset)) - 1))
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    add(rest)
  }

  @inline(__always)
  var value: UInt64 { Self.fold(Self.fold(sum, 0xE703_7ED1_A0B4_28DB) ^ sum, 0x8EBC_6AF0_9C88_C6E3) }

  /// The two halves of the product, folded onto each other.
  @inline(__always)
  private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
