internal import GemLedger

/// Base64 in the alphabet with `+` and `/`, padded (RFC 4648, section 4): exactly one text per value.
package enum Base64 {
  package static func text(_ bytes: [UInt8]) -> String {
    let digits = Base64URL.text(bytes).utf8.map(standard)
    let padding = repeatElement(equals, count: (4 - digits.count % 4) % 4)
    return String(decoding: digits + padding, as: UTF8.self)
  }

  /// Decodes the bytes; nil unless the text equals the output of ``text(_:)``.
  package static func decode(_ text: String) -> [UInt8]? {
    let padded = Array(text.utf8)
    let paddingCount = padded.reversed().prefix { $0 == equals }.count
    guard padded.count % 4 == 0, paddingCount <= 2 else { return nil }
    var digits = Array(padded.dropLast(paddingCount))
    for index in digits.indices {
      switch digits[index] {
      case UInt8(ascii: "+"): digits[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"): digits[index] = UInt8(ascii: "_")
      case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
      default: break
      }
    }
    return Base64URL.decode(digits)
  }

  private static let equals = UInt8(ascii: "=")

  private static func standard(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: digit
    }
  }
}
