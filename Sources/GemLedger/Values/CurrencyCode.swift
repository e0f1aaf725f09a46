/// The code of a currency: 1 to 10 characters of `A-Z a-z 0-9 _`, such as `GEM`.
///
/// Codes are case-sensitive. The characters are packed into one number, six bits each, in byte order, so that comparing
/// and hashing are cheap.
public struct CurrencyCode: Hashable, Comparable, Sendable, CustomStringConvertible {
  private let packed: UInt64

  /// Checks the text.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier` if it is empty, longer than ten characters, or has any other
  ///   character.
  public init(_ text: String) throws(LedgerError) {
    guard let code = Self(exactly: text) else {
      throw LedgerError(
        .invalidIdentifier, "\"\(text.prefix(40))\" is not a currency code: 1 to 10 of A-Z, a-z, 0-9 and _.",
        details: [.text("field", "currency code")])
    }
    self = code
  }

  /// Makes the code, or nil if the text is no valid code.
  public init?(exactly text: String) {
    let bytes = text.utf8
    guard (1...Limits.currencyCodeLength).contains(bytes.count) else { return nil }
    var packed: UInt64 = 0
    for byte in bytes {
      guard let six = Self.sixBits(byte) else { return nil }
      packed = packed << 6 | six
    }
    self.packed = packed << UInt64(6 * (Limits.currencyCodeLength - bytes.count))
  }

  /// The code's text.
  public var description: String {
    var bytes: [UInt8] = []
    for position in 0..<Limits.currencyCodeLength {
      let six = packed >> UInt64(6 * (Limits.currencyCodeLength - 1 - position)) & 63
      if six != 0 { bytes.append(Self.byte(six)) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Orders codes by their bytes.
  public static func < (left: Self, right: Self) -> Bool { left.packed < right.packed }

  /// A number that is equal in every process, for fingerprints.
  package var stableNumber: UInt64 { packed }

  // 0 means "no character"; then 0-9, A-Z, _, a-z, which is their byte order.
  private static func sixBits(_ byte: UInt8) -> UInt64? {
    switch byte {
    case 0x30...0x39: UInt64(byte - 0x30) + 1
    case 0x41...0x5A: UInt64(byte - 0x41) + 11
    case 0x5F: 37
    case 0x61...0x7A: UInt64(byte - 0x61) + 38
    default: nil
    }
  }

  private static func byte(_ six: UInt64) -> UInt8 {
    switch six {
    case 1...10: UInt8(six - 1) + 0x30
    case 11...36: UInt8(six - 11) + 0x41
    case 37: 0x5F
    default: UInt8(six - 38) + 0x61
    }
  }
}
