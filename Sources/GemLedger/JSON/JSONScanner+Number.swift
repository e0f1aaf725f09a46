// Numbers.
extension JSONScanner {
  /// Reads a number.
  ///
  /// - Returns: Whether it is plain digits, which may exceed 64 bits; `-0` is not plain.
  @inlinable
  package mutating func number() throws(JSONFailure) -> Bool {
    let isNegative = skip(ASCII.minus)
    let isZero = skip(ASCII.zero)
    if !isZero {
      try skipDigits()
    } else if position < bytes.count, ASCII.isDigit(bytes[position]) {
      throw failure("A number may not start with 0")
    }
    var isPlain = !(isNegative && isZero)
    if skip(ASCII.dot) {
      isPlain = false
      try skipDigits()
    }
    if skip(0x65) || skip(0x45) {
      isPlain = false
      if !skip(ASCII.plus) { _ = skip(ASCII.minus) }
      try skipDigits()
    }
    return isPlain
  }

  @inlinable
  mutating func skipDigits() throws(JSONFailure) {
    let start = position
    while position < bytes.count, ASCII.isDigit(bytes[position]) { position += 1 }
    guard position > start else { throw failure("A digit is missing") }
  }

  /// Returns the value of plain digits, if it fits in 64 bits.
  ///
  /// - Parameter text: The digits, with a sign if they are negative.
  @inlinable
  package static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    let isNegative = text.first == ASCII.minus
    let start = isNegative ? 1 : 0
    // Nineteen digits are the most that 64 bits hold, and need the check; fewer need none.
    guard text.count - start <= 19 else { return nil }
    var magnitude: UInt64 = 0
    for position in start..<text.count { magnitude = magnitude &* 10 &+ UInt64(text[position] &- ASCII.zero) }
    guard isNegative else { return Int64(exactly: magnitude) }
    return magnitude == Int64.min.magnitude ? .min : Int64(exactly: magnitude).map { -$0 }
  }
}
