internal import GemLedger

/// The tokens of one line of an export as byte ranges; values are decoded only on request.
///
/// It accepts exactly the lines that ``JSONValue/parse(_:)-swift.type.method`` accepts. One object reads line after
/// line and reuses its memory.
package final class LineTokens {
  struct Token {
    enum Kind {
      case text
      /// A text with escapes.
      case escaped
      /// Plain digits; the number may be out of range.
      case integer
      case number
      case bool
      case null
      case list
      case object
    }

    var kind: Kind
    /// The token's start, without the quotes of a text.
    var start: Int
    var end: Int
    /// The number of elements or members.
    var count = 0
    /// The index of the next token after this token and its contents.
    var next = 0
    /// The marks of its members' names; a name without its mark set is absent.
    var marks: UInt64 = 0

    /// Returns one bit for a name, from its length and first and last byte; a name that is looked up is never empty.
    static func mark(_ first: UInt8, _ last: UInt8, length: Int) -> UInt64 {
      1 << ((UInt64(first) &* 7 &+ UInt64(last) &* 3 &+ UInt64(truncatingIfNeeded: length)) & 63)
    }
  }

  private var bytes: [UInt8] = []
  private var tokens: [Token] = []

  package init() {}

  /// Reads a line and replaces the tokens of the previous line.
  package func read(_ line: ArraySlice<UInt8>) throws(LineFault) {
    if scan(line, isCanonical: false) { return }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue.parse(Array(line))
    } catch {
      throw LineFault("\(error.message) (column \(error.column))")
    }
    // With escapes, one name has several spellings; rewriting the line leaves one.
    guard scan(Array(value.text().utf8)[...], isCanonical: true) else {
      throw LineFault("The line cannot be read.")
    }
  }

  private func scan(_ line: ArraySlice<UInt8>, isCanonical: Bool) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: line)
    return bytes.withUnsafeBufferPointer { bytes in
      var scanner = LineScanner(bytes, isCanonical: isCanonical, reusing: tokens)
      tokens = []  // Leaves the scanner as the tokens' only owner, so that they stay in place.
      defer { tokens = scanner.tokens }
      return scanner.scanLine()
    }
  }

  // MARK: Values of the tokens

  /// The value of the whole line.
  var value: ImportValue { ImportValue(tokens: self, position: 0) }

  subscript(position: Int) -> Token { tokens[position] }

  func withBytes<R>(of position: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    let token = tokens[position]
    return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[token.start..<token.end])) }
  }

  /// Returns the index of the value of a member.
  ///
  /// - Parameter member: The index of the name to compare first; then the names after it, then those before it.
  func value(_ name: StaticString, of object: Int, from member: Int) -> Int? {
    tokens.withUnsafeBufferPointer { tokens in
      let (start, length) = (name.utf8Start, name.utf8CodeUnitCount)
      guard tokens[object].marks & Token.mark(start[0], start[length - 1], length: length) != 0 else { return nil }
      return bytes.withUnsafeBufferPointer { bytes in
        var position = member
        for _ in 0..<tokens[object].count {
          if position == tokens[object].next { position = object + 1 }
          let own = tokens[position].start..<tokens[position].end
          if own.count == length,
            bytes[own].elementsEqual(UnsafeBufferPointer(start: start, count: length))
          {
            return position + 1
          }
          position = tokens[position + 1].next
        }
        return nil
      }
    }
  }

  package func text(_ position: Int) -> String? {
    switch tokens[position].kind {
    case .text: withBytes(of: position) { String(decoding: $0, as: UTF8.self) }
    case .escaped: unescaped(position)
    default: nil
    }
  }

  private func unescaped(_ position: Int) -> String? {
    bytes.withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes, from: tokens[position].start - 1)
      // Cannot fail: the scanner has read it already.
      return try? scanner.string()
    }
  }

  package func integer(_ position: Int) -> Int64? {
    guard tokens[position].kind == .integer else { return nil }
    return withBytes(of: position, JSONScanner.integer)
  }

  /// Returns the token as JSON without whitespace.
  package func json(_ position: Int) -> String {
    let token = tokens[position]
    let isText = token.kind == .text || token.kind == .escaped
    let whole = isText ? token.start - 1..<token.end + 1 : token.start..<token.end
    return bytes.withUnsafeBufferPointer { bytes in
      // Cannot fail: the scanner has read it already.
      (try? JSONValue.parse(UnsafeBufferPointer(rebasing: bytes[whole])).text()) ?? ""
    }
  }
}

/// A value of a line, valid until the next line is read.
struct ImportValue {
  let tokens: LineTokens
  let position: Int

  var kind: LineTokens.Token.Kind { tokens[position].kind }
  var text: String? { tokens.text(position) }
  var integer: Int64? { tokens.integer(position) }
  var isNull: Bool { kind == .null }
  /// The value as JSON without whitespace.
  var json: String { tokens.json(position) }

  /// Returns the body's result for a text without escapes.
  func bytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R?) -> R? {
    kind == .text ? tokens.withBytes(of: position, body) : nil
  }
}

extension LineTokens.Token.Kind {
  /// The name of the value's type in messages.
  var name: String {
    switch self {
    case .text, .escaped: "a string"
    case .integer: "a whole number"
    case .number: "a number that is not plain digits"
    case .bool: "true or false"
    case .null: "null"
    case .list: "a list"
    case .object: "an object"
    }
  }
}

/// The elements of a list.
struct ImportList: Sequence, IteratorProtocol {
  /// The next element.
  private var element: ImportValue?
  private(set) var count = 0

  /// Makes an empty list.
  init() {}

  /// - Returns: Nil for a value that is no list.
  init?(_ value: ImportValue) {
    guard value.kind == .list else { return nil }
    count = value.tokens[value.position].count
    element = ImportValue(tokens: value.tokens, position: value.position + 1)
  }

  mutating func next() -> ImportValue? {
    guard count > 0, let element else { return nil }
    count -= 1
    self.element = ImportValue(tokens: element.tokens, position: element.tokens[element.position].next)
    return element
  }
}
