internal import GemLedger

/// Lists the tokens of one line.
struct LineScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private(set) var tokens: [LineTokens.Token]
  private var scanner: JSONScanner
  private let isCanonical: Bool

  /// - Parameter isCanonical: Whether every name is written as `JSONWriter` writes it, so that equal names have equal
  ///   bytes. Otherwise names with escapes are refused.
  init(_ bytes: UnsafeBufferPointer<UInt8>, isCanonical: Bool, reusing tokens: [LineTokens.Token]) {
    self.isCanonical = isCanonical
    self.bytes = bytes
    self.tokens = tokens
    self.tokens.removeAll(keepingCapacity: true)
    scanner = JSONScanner(bytes)
  }

  /// - Returns: Whether the line is valid and its names could be compared.
  mutating func scanLine() -> Bool {
    do throws(JSONFailure) {
      try scanner.begin()
      guard try value() else { return false }
      try scanner.end()
      return true
    } catch {
      return false
    }
  }

  private mutating func value() throws(JSONFailure) -> Bool {
    let start = scanner.position
    switch try scanner.kind() {
    case .text: add(try text())
    case .object: return try object()
    case .list: return try list()
    case .number:
      let isPlain = try scanner.number()
      add(isPlain ? .integer : .number, from: start)
    case .true:
      try scanner.word("true")
      add(.bool, from: start)
    case .false:
      try scanner.word("false")
      add(.bool, from: start)
    case .null:
      try scanner.word("null")
      add(.null, from: start)
    }
    return true
  }

  private mutating func list() throws(JSONFailure) -> Bool {
    let index = begin(.list)
    if try scanner.open(closing: ASCII.rightBracket) {
      repeat {
        guard try value() else { return false }
        tokens[index].count += 1
      } while try scanner.more(closing: ASCII.rightBracket)
    }
    end(index)
    return true
  }

  private mutating func object() throws(JSONFailure) -> Bool {
    let index = begin(.object)
    if try scanner.open(closing: ASCII.rightBrace) {
      repeat {
        guard try member(of: index) else { return false }
        tokens[index].count += 1
      } while try scanner.more(closing: ASCII.rightBrace)
    }
    end(index)
    return true
  }

  private mutating func member(of object: Int) throws(JSONFailure) -> Bool {
    let name = tokens.count
    let text = try scanner.name()
    guard text.isPlain || isCanonical else { return false }
    try check(text)
    add(text)
    guard isNew(name, in: object) else { return false }
    try scanner.colon()
    return try value()
  }

  /// Whether no earlier member of the object has the same name.
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

  private mutating func text() throws(JSONFailure) -> JSONScanner.Text {
    let text = try scanner.text(isName: false)
    try check(text)
    return text
  }

  /// Checks the bytes of a text; ASCII bytes are valid.
  private func check(_ text: JSONScanner.Text) throws(JSONFailure) {
    if !text.isASCII { _ = try scanner.string(of: text) }
  }

  // MARK: Tokens

  private mutating func begin(_ kind: LineTokens.Token.Kind) -> Int {
    tokens.append(LineTokens.Token(kind: kind, start: scanner.position, end: 0))
    return tokens.count - 1
  }

  private mutating func end(_ index: Int) {
    tokens[index].end = scanner.position
    tokens[index].next = tokens.count
  }

  private mutating func add(_ text: JSONScanner.Text) {
    add(text.isPlain ? .text : .escaped, text.start..<text.end)
  }

  private mutating func add(_ kind: LineTokens.Token.Kind, from start: Int) { add(kind, start..<scanner.position) }

  private mutating func add(_ kind: LineTokens.Token.Kind, _ range: Range<Int>) {
    tokens.append(
      LineTokens.Token(kind: kind, start: range.lowerBound, end: range.upperBound, next: tokens.count + 1))
  }
}
