/// Bytes as text of the URL-safe base64 alphabet without padding (RFC 4648, section 5), as compact JWS has it.
enum Base64URL {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The value of each byte as a digit; 0xFF for a byte that is none.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  /// Appends the text of the bytes.
  static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    text.reserveCapacity(text.count + (bytes.count * 4 + 2) / 3)
    digits.withUnsafeBufferPointer { digits in
      var index = 0
      while index < bytes.count {
        let rest = min(3, bytes.count - index)
        var group = UInt32(bytes[index]) << 16
        if rest > 1 { group |= UInt32(bytes[index + 1]) << 8 }
        if rest > 2 { group |= UInt32(bytes[index + 2]) }
        for place in 0...rest { text.append(digits[Int(group >> UInt32(18 - 6 * place) & 63)]) }
        index += 3
      }
    }
  }

  /// The bytes, or nil where the text is not exactly what ``append(_:to:)`` writes: one text for one value.
  static func decode(_ text: some RandomAccessCollection<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var (group, bits) = (UInt32(0), 0)
    for digit in text {
      let value = values[Int(digit)]
      guard value != 0xFF else { return nil }
      group = group << 6 | UInt32(value)
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
    }
    // What is left over of the last digit must be nothing.
    return group & (1 << UInt32(bits) - 1) == 0 ? bytes : nil
  }
}
