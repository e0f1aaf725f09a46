/// Hexadecimal text of 16-byte ids.
package enum HexForm {
  /// 32 lower-case digits with hyphens after 8, 12, 16 and 20.
  package static func uuid(high: UInt64, low: UInt64) -> String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      guard let start = buffer.baseAddress else { return 0 }
      write(high: high, low: low, to: start)
      return 36
    }
  }

  /// Writes the 36 bytes of such a text.
  package static func write(high: UInt64, low: UInt64, to start: UnsafeMutablePointer<UInt8>) {
    let bytes = UnsafeMutableRawPointer(start)
    let (second, third) = (eightDigits(of: high), eightDigits(of: low >> 32))
    bytes.storeBytes(of: eightDigits(of: high >> 32).littleEndian, as: UInt64.self)
    bytes.storeBytes(of: UInt32(truncatingIfNeeded: second).littleEndian, toByteOffset: 9, as: UInt32.self)
    bytes.storeBytes(of: UInt32(truncatingIfNeeded: second >> 32).littleEndian, toByteOffset: 14, as: UInt32.self)
    bytes.storeBytes(of: UInt32(truncatingIfNeeded: third).littleEndian, toByteOffset: 19, as: UInt32.self)
    bytes.storeBytes(of: UInt32(truncatingIfNeeded: third >> 32).littleEndian, toByteOffset: 24, as: UInt32.self)
    bytes.storeBytes(of: eightDigits(of: low).littleEndian, toByteOffset: 28, as: UInt64.self)
    for hyphen in [8, 13, 18, 23] { start[hyphen] = 0x2D }
  }

  /// Writes sixteen digits.
  package static func write(_ number: UInt64, to start: UnsafeMutablePointer<UInt8>) {
    let bytes = UnsafeMutableRawPointer(start)
    bytes.storeBytes(of: eightDigits(of: number >> 32).littleEndian, as: UInt64.self)
    bytes.storeBytes(of: eightDigits(of: number).littleEndian, toByteOffset: 8, as: UInt64.self)
  }

  /// Returns the text of the number's low 32 bits, the first digit in the lowest byte.
  private static func eightDigits(of number: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var values = number & 0xFFFF_FFFF
    values = (values | values << 16) & 0x0000_FFFF_0000_FFFF
    values = (values | values << 8) & 0x00FF_00FF_00FF_00FF
    values = (values | values << 4) & (0x0F * ones)
    // A bit for each value of ten or more, which becomes a letter.
    let letters = (values &+ 6 * ones) >> 4 & ones
    return (values &+ 0x30 * ones &+ 0x27 * letters).byteSwapped
  }

  /// Returns the two halves, or nil if the text is not exactly in the form that ``uuid(high:low:)`` writes.
  package static func parseUUID(_ text: String) -> (high: UInt64, low: UInt64)? {
    var text = text
    return text.withUTF8(parseUUID)
  }

  // Every command parses a key, so this processes eight digits at a time.
  package static func parseUUID(_ bytes: UnsafeBufferPointer<UInt8>) -> (high: UInt64, low: UInt64)? {
    guard bytes.count == 36, let start = UnsafeRawPointer(bytes.baseAddress) else { return nil }
    guard bytes[8] == 0x2D, bytes[13] == 0x2D, bytes[18] == 0x2D, bytes[23] == 0x2D else { return nil }
    func digits(_ first: Int, _ second: Int) -> UInt64? {
      let one = UInt64(UInt32(littleEndian: start.loadUnaligned(fromByteOffset: first, as: UInt32.self)))
      let two = UInt64(UInt32(littleEndian: start.loadUnaligned(fromByteOffset: second, as: UInt32.self)))
      return eightDigits(one | two << 32)
    }
    guard let first = digits(0, 4), let second = digits(9, 14), let third = digits(19, 24), let fourth = digits(28, 32)
    else { return nil }
    return (first << 32 | second, third << 32 | fourth)
  }

  /// Returns the value of sixteen lower-case digits; nil for any other text.
  package static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64? {
    guard bytes.count == 16, let start = UnsafeRawPointer(bytes.baseAddress),
      let high = eightDigits(UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))),
      let low = eightDigits(UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    else { return nil }
    return high << 32 | low
  }

  /// Returns the value of eight lower-case digits, the first in the lowest byte; nil if one of them is no digit.
  private static func eightDigits(_ text: UInt64) -> UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // Letters have bit 6 set, and their value is their low four bits plus nine.
    let letters = text >> 6 & ones
    let values = (text & (0x0F * ones)) &+ 9 * letters
    // A bit for each value of ten or more; it must equal the bits for letters.
    let tens = (values &+ (0x76 * ones)) >> 7 & ones
    guard values & (0xF0 * ones) == 0, tens == letters, values &+ (0x30 * ones) &+ (0x27 * letters) == text else {
      return nil
    }
    var packed = values.byteSwapped
    packed = (packed | packed >> 4) & 0x00FF_00FF_00FF_00FF
    packed = (packed | packed >> 8) & 0x0000_FFFF_0000_FFFF
    return (packed | packed >> 16) & 0xFFFF_FFFF
  }

  /// Returns fixed-width lower-case hexadecimal.
  package static func hex(_ number: UInt64, digits count: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
