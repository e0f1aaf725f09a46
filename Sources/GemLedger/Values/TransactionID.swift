/// A transaction's id: sixteen bytes in time order, written like a UUID of version 7.
///
/// The id consists of the transaction's instant, its number in the journal and a tag that only this project makes. So
/// it needs no storage in the journal, and a forged id is detected.
public struct TransactionID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads the form that ``description`` writes.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier` when the text is not of that form.
  public init(_ text: String) throws(LedgerError) {
    guard let (high, low) = HexForm.parseUUID(text) else {
      throw LedgerError(
        .invalidIdentifier,
        "\"\(text.prefix(60))\" is not a transaction id; one looks like "
          + "019aa3f2-6c1e-7000-8000-00000a51c7e4.", details: [.text("field", "transaction id")])
    }
    self.init(high: high, low: low)
  }

  /// Lower-case hexadecimal in groups, such as `019aa3f2-6c1e-7000-8000-00000a51c7e4`.
  public var description: String { HexForm.uuid(high: high, low: low) }

  /// The number inside the id, which may be of any project.
  package var unprovenNumber: Int64 {
    let top: UInt64 = (high & 0xFFF) << 42
    let rest: UInt64 = (low >> 20) & 0x3FF_FFFF_FFFF
    return Int64(top | rest)
  }

  /// In journal order.
  public static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

/// Makes and reads the transaction ids of one project.
package struct TransactionIDMaker: Sendable {
  /// Drawn once when the project was made.
  package let salt: UInt64

  package init(salt: UInt64) { self.salt = salt }

  // 48 bits of milliseconds, version 7, the top 12 of the number's 54 bits; variant 2, its other 42 bits, 20 bits of
  // tag.
  package func id(number: Int64, createdAt: Timestamp) -> TransactionID {
    let bits = UInt64(bitPattern: number) & (1 << 54 - 1)
    let milliseconds = UInt64(clamping: createdAt.milliseconds) & (1 << 48 - 1)
    let high = milliseconds << 16 | 7 << 12 | bits >> 42
    let low = 2 << 62 | (bits & (1 << 42 - 1)) << 20 | tag(number: bits, milliseconds: milliseconds)
    return TransactionID(high: high, low: low)
  }

  /// Returns the number inside the id, or nil if this project did not make it.
  package func number(of id: TransactionID) -> Int64? {
    let number = id.unprovenNumber
    let created = Timestamp(milliseconds: Int64(id.high >> 16))
    // An id with a number that no transaction has is invalid, even if its tag is right.
    guard number <= RowBounds.transaction else { return nil }
    return self.id(number: number, createdAt: created) == id ? number : nil
  }

  private func tag(number: UInt64, milliseconds: UInt64) -> UInt64 {
    var hash = StableHash(seed: salt)
    hash.combine(number)
    hash.combine(milliseconds)
    return hash.value >> 44
  }
}
