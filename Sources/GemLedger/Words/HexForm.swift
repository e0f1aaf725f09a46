/// Hexadecimal text of 16-byte ids.
package enum HexForm {
  private static let digits: StaticString = "0123456789abcdef"

  /// 32 lower-case digits with hyphens after 8, 12, 16 and 20.
  package static func uuid(high: UInt64, low: UInt64) -> String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var next = 0
      for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 {
          buffer[next] = 0x2D
          next += 1
        }
        let word = index < 16 ? high : low
        buffer[next] = digits.utf8Start[Int(word >> UInt64(60 - 4 * (index % 16)) & 15)]
        next += 1
      }
      return 36
    }
  }

  /// The two halves, or nil when the text is not exactly what ``uuid(high:low:)`` writes.
  package static func parseUUID(_ text: String) -> (high: UInt64, low: UInt64)? {
    var text = text
    return text.withUTF8(parseUUID)
  }

  package static func parseUUID(_ bytes: UnsafeBufferPointer<UInt8>) -> (high: UInt64, low: UInt64)? {
    guard bytes.count == 36 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    var digit = 0
    for (index, byte) in bytes.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == 0x2D else { return nil }
        continue
      }
      guard let value = value(byte) else { return nil }
      if digit < 16 { high = high << 4 | value } else { low = low << 4 | value }
      digit += 1
    }
    return (high, low)
  }

  private static func value(_ byte: UInt8) -> UInt64? {
    switch byte {
    case 0x30...0x39: UInt64(byte - 0x30)
    case 0x61...0x66: UInt64(byte - 0x61) + 10
    default: nil
    }
  }

  /// Fixed-width lower-case hexadecimal.
  package static func hex(_ number: UInt64, digits count: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
