/// Bytes as text in the URL-safe base64 alphabet without padding (RFC 4648, section 5), as in compact JWS.
///
/// A receipt has a thousand bytes, so both directions process groups of four digits without an intermediate array.
package enum Base64URL {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The value of each byte as a digit; 0xFF for a byte that is no digit.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    append(Array(bytes), to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the text of the bytes.
  package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    let start = text.count
    text.append(contentsOf: repeatElement(0, count: (bytes.count * 4 + 2) / 3))
    digits.withUnsafeBufferPointer { digits in
      bytes.withUnsafeBufferPointer { bytes in
        text.withUnsafeMutableBufferPointer { encode(bytes, with: digits, into: $0[start...]) }
      }
    }
  }

  private static func encode(
    _ bytes: UnsafeBufferPointer<UInt8>, with digits: UnsafeBufferPointer<UInt8>,
    into text: Slice<UnsafeMutableBufferPointer<UInt8>>
  ) {
    let text = UnsafeMutableBufferPointer(rebasing: text)
    var (index, next) = (0, 0)
    func put(_ group: UInt32, _ position: UInt32) {
      text[next] = digits[Int(group >> (18 - 6 * position) & 63)]
      next += 1
    }
    while index + 3 <= bytes.count {
      let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
      put(group, 0)
      put(group, 1)
      put(group, 2)
      put(group, 3)
      index += 3
    }
    guard index < bytes.count else { return }
    let second = index + 1 < bytes.count ? UInt32(bytes[index + 1]) : nil
    let group = UInt32(bytes[index]) << 16 | (second ?? 0) << 8
    put(group, 0)
    put(group, 1)
    if second != nil { put(group, 2) }
  }

  /// Decodes the bytes; nil unless ``append(_:to:)`` writes exactly this text for them: each value has a single text.
  package static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }

  /// As ``decode(_:)-(String)``, of the text's bytes.
  package static func decode(_ text: [UInt8]) -> [UInt8]? { text.withUnsafeBufferPointer { decode($0) } }

  /// As ``decode(_:)-(String)``, of bytes in another owner's memory.
  package static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    return values.withUnsafeBufferPointer { values in
      // No digit's value has the top two bits. They are set if any byte was no digit.
      var all: UInt8 = 0
      func value(_ index: Int) -> UInt32 {
        let value = values[Int(text[index])]
        all |= value
        return UInt32(value)
      }
      let count = text.count * 3 / 4
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
        var index = 0
        while index + 4 <= text.count {
          let group = value(index) << 18 | value(index + 1) << 12 | value(index + 2) << 6 | value(index + 3)
          bytes[filled] = UInt8(truncatingIfNeeded: group >> 16)
          bytes[filled + 1] = UInt8(truncatingIfNeeded: group >> 8)
          bytes[filled + 2] = UInt8(truncatingIfNeeded: group)
          index += 4
          filled += 3
        }
        guard index < text.count else { return }
        let third = index + 2 < text.count ? value(index + 2) : nil
        let group = value(index) << 18 | value(index + 1) << 12 | (third ?? 0) << 6
        // The unused bits of the last digit must be zero.
        if group & (third == nil ? 0xFFFF : 0xFF) != 0 { all = 0xFF }
        while filled < count {
          bytes[filled] = UInt8(truncatingIfNeeded: group >> UInt32(filled % 3 == 0 ? 16 : 8))
          filled += 1
        }
      }
      return all & 0xC0 == 0 ? bytes : nil
    }
  }
}
