/// Finds the tokens of a JSON text, and the faults in its space, words and brackets.
///
/// It takes strict JSON only: RFC 8259 without the liberties that it leaves to readers. Every method starts at
/// `position`, moves it past the bytes that it read, and never traps. The reader makes a value of the tokens, or a
/// list of them.
package struct JSONScanner {
  /// The kind of token that begins with a byte.
  package enum Kind: Sendable {
    case text
    case number
    case object
    case list
    case `true`
    case `false`
    case null
  }

  @usableFromInline let bytes: UnsafeBufferPointer<UInt8>
  package var position: Int
  @usableFromInline var depth = 0
  /// The bytes of the last text with escapes.
  var decoded: [UInt8] = []

  @inlinable
  package init(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  // MARK: The whole text

  /// Skips the space before the value of a whole text, and refuses a byte-order mark.
  package mutating func begin() throws(JSONFailure) {
    guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
      throw JSONFailure("The text starts with a byte-order mark.", at: 0)
    }
    skipSpace()
  }

  /// Skips the space after the value of a whole text, and refuses anything else.
  package mutating func end() throws(JSONFailure) {
    skipSpace()
    guard position == bytes.count else { throw failure("Only space may follow the value") }
  }

  // MARK: Values

  /// The kind of the value that begins here.
  @inlinable
  package func kind() throws(JSONFailure) -> Kind {
    guard position < bytes.count else { throw failure("A value is missing") }
    switch bytes[position] {
    case ASCII.quote: return .text
    case ASCII.leftBrace: return .object
    case ASCII.leftBracket: return .list
    case ASCII.minus, ASCII.zero...0x39: return .number
    case 0x74: return .true
    case 0x66: return .false
    case 0x6E: return .null
    default: throw failure("A value is missing")
    }
  }

  @inlinable
  package mutating func word(_ word: StaticString) throws(JSONFailure) {
    for byte in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) {
      guard skip(byte) else { throw failure("Only true, false and null are words") }
    }
  }

  // MARK: Lists and objects

  /// Reads the bracket with which a list or an object opens.
  ///
  /// - Returns: Whether a first element or member follows.
  @inlinable
  package mutating func open(closing: UInt8) throws(JSONFailure) -> Bool {
    guard depth < Limits.jsonDepth else { throw tooDeep }
    depth += 1
    position += 1
    skipSpace()
    guard skip(closing) else { return true }
    depth -= 1
    return false
  }

  /// Reads a comma, or the bracket with which a list or an object closes.
  ///
  /// - Returns: Whether a further element or member follows.
  @inlinable
  package mutating func more(closing: UInt8) throws(JSONFailure) -> Bool {
    skipSpace()
    if skip(ASCII.comma) {
      skipSpace()
      return true
    }
    guard skip(closing) else { throw failure(closing == ASCII.rightBrace ? Self.openObject : Self.openList) }
    depth -= 1
    return false
  }

  /// Reads a member's name; the colon is next.
  @inlinable
  package mutating func name() throws(JSONFailure) -> Text {
    guard position < bytes.count, bytes[position] == ASCII.quote else { throw failure("A name in quotes is missing") }
    return try text(isName: true)
  }

  /// Reads the colon after a member's name; the value is next.
  @inlinable
  package mutating func colon() throws(JSONFailure) {
    skipSpace()
    guard skip(ASCII.colon) else { throw failure("A colon is missing") }
    skipSpace()
  }

  @usableFromInline static var openObject: String { "A comma or } is missing" }
  @usableFromInline static var openList: String { "A comma or ] is missing" }
  @usableFromInline var tooDeep: JSONFailure {
    JSONFailure("Values are nested deeper than \(Limits.jsonDepth) levels.", at: position)
  }

  // MARK: Bytes

  /// The bytes that were read since.
  @inlinable
  package func bytes(from start: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[start..<position])
  }

  @inlinable var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  @inlinable
  package mutating func skip(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  @inlinable
  package mutating func skipSpace() {
    while position < bytes.count, bytes[position] <= ASCII.space {
      switch bytes[position] {
      case ASCII.space, ASCII.lineFeed, ASCII.tab, ASCII.carriageReturn: position += 1
      default: return
      }
    }
  }

  /// A failure at the current position, with the unexpected text there.
  @usableFromInline
  func failure(_ message: String) -> JSONFailure {
    JSONFailure("\(message); found \(found).", at: position)
  }

  private var found: String {
    guard let byte = peek else { return "the end of the text" }
    return switch byte {
    case 0x21...0x7E: "\"\(Unicode.Scalar(byte))\""
    default: "byte 0x" + String(byte, radix: 16, uppercase: true)
    }
  }
}
