// Texts, with their escapes.
extension JSONScanner {
  /// A text that was found; ``string(of:)`` makes it a string.
  package struct Text: Sendable {
    /// The position of its first byte, after the quote.
    package let start: Int
    package let end: Int
    /// Whether it has no escapes, so that its bytes are its text.
    package let isPlain: Bool
    /// Whether its bytes are ASCII, without regard to the output of escapes.
    package let isASCII: Bool
  }

  /// Reads a text from its opening quote.
  ///
  /// - Parameter isName: Whether it is a member's name, in which no NUL may be.
  package mutating func text(isName: Bool) throws(JSONFailure) -> Text {
    let start = position
    position += 1
    let isASCII = try skipRun(from: start)
    guard bytes[position] == ASCII.backslash else {
      position += 1
      return Text(start: start + 1, end: position - 1, isPlain: true, isASCII: isASCII)
    }
    return try escapedText(from: start, isASCII: isASCII, isName: isName)
  }

  /// Reads a text from its opening quote, and makes it a string.
  package mutating func string() throws(JSONFailure) -> String {
    let text = try text(isName: false)
    return try string(of: text)
  }

  /// Returns the string of the text that was read last.
  ///
  /// - Throws: If its bytes are not valid UTF-8.
  package func string(of text: Text) throws(JSONFailure) -> String {
    text.isPlain
      ? try string(UnsafeBufferPointer(rebasing: bytes[text.start..<text.end]), text)
      : try string(decoded, text)
  }

  private func string(_ bytes: some Collection<UInt8>, _ text: Text) throws(JSONFailure) -> String {
    // ASCII, and the output of escapes, is valid as it is; validating takes a third of the time of a short text.
    guard !text.isASCII else { return String(decoding: bytes, as: UTF8.self) }
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw JSONFailure("The string is not valid UTF-8.", at: text.start - 1)
    }
    return string
  }

  /// Continues at the first escape, and decodes into `decoded`.
  private mutating func escapedText(
    from start: Int, isASCII: Bool, isName: Bool
  ) throws(JSONFailure) -> Text {
    decoded.removeAll(keepingCapacity: true)
    var isASCII = isASCII
    var runStart = start + 1
    while true {
      decoded += bytes[runStart..<position]
      if bytes[position] == ASCII.quote { break }
      try escape(isName: isName)
      runStart = position
      isASCII = try skipRun(from: start) && isASCII
    }
    position += 1
    return Text(start: start + 1, end: position - 1, isPlain: false, isASCII: isASCII)
  }

  /// Moves to the next quote or backslash, and returns whether every byte before it was ASCII.
  private mutating func skipRun(from start: Int) throws(JSONFailure) -> Bool {
    let run = JSONRun(in: bytes, from: position)
    position = run.end
    guard position < bytes.count else { throw JSONFailure("The string that starts here has no end.", at: start) }
    guard bytes[position] >= ASCII.space else {
      throw JSONFailure("A string may hold control characters only as escapes, such as \\n.", at: position)
    }
    return run.isASCII
  }

  private mutating func escape(isName: Bool) throws(JSONFailure) {
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
      throw JSONFailure("Half of a surrogate pair is missing.", at: start)
    }
    let second = try hexadecimal()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw JSONFailure("Half of a surrogate pair is missing.", at: start) }
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
