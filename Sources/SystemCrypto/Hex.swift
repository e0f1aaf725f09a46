/// Bytes as hexadecimal digits.
package enum Hex {
  /// Two lower-case digits a byte.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The bytes of digits in either case; nil for anything else.
  package static func bytes(_ digits: [UInt8]) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard values.count == digits.count else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }
}
