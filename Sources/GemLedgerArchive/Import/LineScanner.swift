internal import GemLedger

/// Finds the tokens of one line.
///
/// Every method starts at `position`, leaves it after the text that it read, and returns whether that text was valid.
struct LineScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private(set) var tokens: [LineTokens.Token]
  private var position = 0
  private var depth = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, reusing tokens: [LineTokens.Token]) {
    self.bytes = bytes
    self.tokens = tokens
    self.tokens.removeAll(keepingCapacity: true)
  }

  mutating func scanLine() -> Bool {
    skipSpace()
    guard value() else { return false }
    skipSpace()
    return position == bytes.count
  }

  private mutating func value() -> Bool {
    guard position < bytes.count else { return false }
    switch bytes[position] {
    case ASCII.quote: return text(isName: false)
    case ASCII.leftBrace: return nested(.object, end: ASCII.rightBrace) { $0.member(of: $1) }
    case ASCII.leftBracket: return nested(.list, end: ASCII.rightBracket) { scanner, _ in scanner.value() }
    case ASCII.minus, ASCII.zero...0x39: return number()
    case UInt8(ascii: "t"): return word("true", .bool)
    case UInt8(ascii: "f"): return word("false", .bool)
    default: return word("null", .null)
    }
  }

  private mutating func nested(
    _ kind: LineTokens.Token.Kind, end: UInt8, _ element: (inout Self, Int) -> Bool
  ) -> Bool {
    let index = tokens.count
    tokens.append(LineTokens.Token(kind: kind, start: position, end: 0))
    position += 1
    depth += 1
    guard depth <= Limits.jsonDepth else { return false }
    skipSpace()
    if !skip(end) {
      repeat {
        skipSpace()
        guard element(&self, index) else { return false }
        tokens[index].count += 1
        skipSpace()
      } while skip(ASCII.comma)
      guard skip(end) else { return false }
    }
    depth -= 1
    tokens[index].end = position
    tokens[index].next = tokens.count
    return true
  }

  private mutating func member(of object: Int) -> Bool {
    let name = tokens.count
    guard position < bytes.count, bytes[position] == ASCII.quote, text(isName: true), isNew(name, in: object) else {
      return false
    }
    skipSpace()
    guard skip(ASCII.colon) else { return false }
    skipSpace()
    return value()
  }

  /// Whether no member before it has that name.
  private mutating func isNew(_ name: Int, in object: Int) -> Bool {
    let own = bytes[tokens[name].start..<tokens[name].end]
    let mark = LineTokens.Token.mark(own.first ?? 0, own.last ?? 0, length: own.count)
    defer { tokens[object].marks |= mark }
    guard tokens[object].marks & mark != 0 else { return true }
    var other = object + 1
    while other < name {
      if bytes[tokens[other].start..<tokens[other].end].elementsEqual(own) { return false }
      other = tokens[other + 1].next
    }
    return true
  }

  private mutating func text(isName: Bool) -> Bool {
    let start = position + 1
    position = start
    var isPlain = true
    while true {
      let run = JSONRun(in: bytes, from: position)
      guard run.end < bytes.count, bytes[run.end] >= ASCII.space else { return false }
      if !run.isASCII, String(validating: bytes[position..<run.end], as: UTF8.self) == nil { return false }
      position = run.end + 1
      if bytes[run.end] == ASCII.quote { break }
      isPlain = false
      // An escaped character is never the end of the text.
      position += 1
      guard position < bytes.count else { return false }
    }
    add(isPlain ? .text : .escaped, start..<position - 1)
    guard !isPlain else { return true }
    return !isName && (try? JSONValue.parse(Array(bytes[start - 1..<position]))) != nil
  }

  private mutating func number() -> Bool {
    let start = position
    let isNegative = skip(ASCII.minus)
    let digits = position
    guard skipDigits() else { return false }
    let isZero = bytes[digits] == ASCII.zero
    if isZero, position > digits + 1 { return false }
    var isInteger = !(isNegative && isZero)
    if skip(ASCII.dot) {
      isInteger = false
      guard skipDigits() else { return false }
    }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      isInteger = false
      if !skip(ASCII.plus) { _ = skip(ASCII.minus) }
      guard skipDigits() else { return false }
    }
    add(isInteger ? .integer : .number, start..<position)
    return true
  }

  private mutating func skipDigits() -> Bool {
    let start = position
    while position < bytes.count, ASCII.isDigit(bytes[position]) { position += 1 }
    return position > start
  }

  private mutating func word(_ word: StaticString, _ kind: LineTokens.Token.Kind) -> Bool {
    let start = position
    for byte in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) {
      guard skip(byte) else { return false }
    }
    add(kind, start..<position)
    return true
  }

  private mutating func add(_ kind: LineTokens.Token.Kind, _ range: Range<Int>) {
    tokens.append(
      LineTokens.Token(kind: kind, start: range.lowerBound, end: range.upperBound, next: tokens.count + 1))
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while position < bytes.count, bytes[position] <= ASCII.space {
      switch bytes[position] {
      case ASCII.space, ASCII.lineFeed, ASCII.tab, ASCII.carriageReturn: position += 1
      default: return
      }
    }
  }
}
