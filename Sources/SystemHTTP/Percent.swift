#if Server

/// Percent-encoding (RFC 3986, section 2.1).
package enum Percent {
  /// Encodes all but letters, digits and `-._~`.
  package static func encoded(_ text: String) -> String {
    guard !text.utf8.allSatisfy(staysPlain) else { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      guard !staysPlain(byte) else {
        bytes.append(byte)
        continue
      }
      bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0x0F)]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func staysPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Decodes a text; nil for an incomplete escape, NUL, or bytes that are not UTF-8.
  ///
  /// - Parameter plusIsSpace: Whether a plus sign is a space, as in a query.
  package static func decoded(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
    let isPlain = bytes.allSatisfy { $0 != UInt8(ascii: "%") && $0 != 0 && !(plusIsSpace && $0 == UInt8(ascii: "+")) }
    if isPlain {
      // The check of UTF-8 takes longer than a copy of ASCII.
      let isASCII = bytes.allSatisfy { $0 < 0x80 }
      return isASCII ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
    }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      var byte = bytes[index]
      bytes.formIndex(after: &index)
      if byte == UInt8(ascii: "%") {
        guard index < bytes.endIndex, let high = value(bytes[index]) else { return nil }
        bytes.formIndex(after: &index)
        guard index < bytes.endIndex, let low = value(bytes[index]) else { return nil }
        bytes.formIndex(after: &index)
        byte = high << 4 | low
      } else if plusIsSpace, byte == UInt8(ascii: "+") {
        byte = UInt8(ascii: " ")
      }
      guard byte != 0 else { return nil }
      decoded.append(byte)
    }
    return String(validating: decoded, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }
}
#endif
