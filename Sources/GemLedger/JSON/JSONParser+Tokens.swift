// Strings and numbers: the two tokens that have an inside.
extension JSONParser {
  /// Reads a string from its opening quote; without escapes its bytes are copied once, as they stand.
  mutating func string(isName: Bool) throws(JSONFailure) -> String {
    let start = position
    position += 1
    var decoded: [UInt8] = []
    var runStart = position
    var isASCII = true
    while true {
      isASCII = try skipRun(from: start) && isASCII
      let run = bytes[runStart..<position]
      guard bytes[position] == ASCII.backslash else {
        position += 1
        return decoded.isEmpty
          ? try text(run, isASCII: isASCII, at: start) : try text(decoded + run, isASCII: isASCII, at: start)
      }
      decoded += run
      try escape(isName: isName, into: &decoded)
      runStart = position
    }
  }

  /// Moves to the next quote or backslash; whether every byte on the way was ASCII.
  private mutating func skipRun(from start: Int) throws(JSONFailure) -> Bool {
    let from = position
    let run = bytes.withUnsafeBufferPointer { JSONRun(in: $0, from: from) }
    position = run.end
    guard let byte = peek else { throw JSONFailure("The string that starts here has no end.", at: start) }
    guard byte >= ASCII.space else {
      throw JSONFailure("A string may hold control characters only as escapes, such as \\n.", at: position)
    }
    return run.isASCII
  }

  private func text(_ bytes: some Collection<UInt8>, isASCII: Bool, at start: Int) throws(JSONFailure) -> String {
    // ASCII, and the output of escapes, is valid as it is; validating takes a third of the time of a short text.
    guard !isASCII else { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw JSONFailure("The string is not valid UTF-8.", at: start)
    }
    return text
  }

  private mutating func escape(isName: Bool, into decoded: inout [UInt8]) throws(JSONFailure) {
    let start = position
    position += 1
    guard let byte = peek else { throw failure("An escape is cut off") }
    position += 1
    switch byte {
    case ASCII.quote, ASCII.backslash, ASCII.slash: decoded.append(byte)
    case UInt8(ascii: "b"): decoded.append(0x08)
    case UInt8(ascii: "f"): decoded.append(0x0C)
    case UInt8(ascii: "n"): decoded.append(ASCII.lineFeed)
    case UInt8(ascii: "r"): decoded.append(ASCII.carriageReturn)
    case UInt8(ascii: "t"): decoded.append(ASCII.tab)
    case UInt8(ascii: "u"):
      let scalar = try unicodeEscape(at: start)
      guard scalar.value != 0 || !isName else { throw JSONFailure("A name may not hold NUL.", at: start) }
      decoded += String(scalar).utf8
    default: throw JSONFailure("There is no such escape.", at: start)
    }
  }

  /// Reads the digits after `\u`, and the second half of a pair.
  private mutating func unicodeEscape(at start: Int) throws(JSONFailure) -> Unicode.Scalar {
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, skip(ASCII.backslash), skip(UInt8(ascii: "u")) else {
      throw JSONFailure("Half of a surrogate pair stands alone.", at: start)
    }
    let second = try hexadecimal()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw JSONFailure("Half of a surrogate pair stands alone.", at: start) }
    return scalar
  }

  private mutating func hexadecimal() throws(JSONFailure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Self.digit(byte) else {
        throw failure("Four hexadecimal digits must follow \\u")
      }
      value = value << 4 | digit
      position += 1
    }
    return value
  }

  private static func digit(_ byte: UInt8) -> UInt32? {
    if ASCII.isDigit(byte) { return UInt32(byte) - 0x30 }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? UInt32(letter) + 10 : nil
  }
}

extension JSONParser {
  /// Reads a number; plain digits that fit become an integer, anything else stays text.
  mutating func number() throws(JSONFailure) -> JSONValue {
    let start = position
    let isNegative = skip(ASCII.minus)
    let digits = position
    try integerPart()
    var isPlain = !(isNegative && bytes[digits] == ASCII.zero)
    if skip(ASCII.dot) {
      isPlain = false
      try digitRun()
    }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      isPlain = false
      if !skip(ASCII.plus) { _ = skip(ASCII.minus) }
      try digitRun()
    }
    if isPlain, let integer = Self.integer(bytes[digits..<position], isNegative: isNegative) {
      return .integer(integer)
    }
    return .number(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func integerPart() throws(JSONFailure) {
    guard skip(ASCII.zero) else { return try digitRun() }
    if let byte = peek, ASCII.isDigit(byte) { throw failure("A number may not start with 0") }
  }

  private mutating func digitRun() throws(JSONFailure) {
    let start = position
    while let byte = peek, ASCII.isDigit(byte) { position += 1 }
    guard position > start else { throw failure("A digit is missing") }
  }

  private static func integer(_ digits: ArraySlice<UInt8>, isNegative: Bool) -> Int64? {
    // Nineteen digits are the most that 64 bits hold, and need the check; fewer need none.
    guard digits.count <= 19 else { return nil }
    var magnitude: UInt64 = 0
    for byte in digits { magnitude = magnitude &* 10 &+ UInt64(byte &- 0x30) }
    guard isNegative else { return Int64(exactly: magnitude) }
    return magnitude == Int64.min.magnitude ? .min : Int64(exactly: magnitude).map { -$0 }
  }
}
