/// A whole number in plain ASCII digits: no sign, no leading zero, no point, no exponent, no digits of other scripts.
///
/// Amounts are read from these, so ambiguous texts (`007`, `5e2`, `１２`) are malformed.
enum PlainNumber: Hashable, Sendable {
  case value(Int64)
  /// Well-formed, but greater than any `Int64`.
  case tooLarge
  case malformed

  init(_ text: String) {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.allSatisfy({ (0x30...0x39).contains($0) }), first != 0x30 || bytes.count == 1
    else {
      self = .malformed
      return
    }
    self = Int64(text).map(Self.value) ?? .tooLarge
  }
}
