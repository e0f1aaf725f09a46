internal import GemLedger

/// The tokens of one line of an export, where they lie in it; nothing is made of them until it is asked for.
///
/// It takes exactly the lines that ``JSONValue/parse(_:)-swift.type.method`` takes. One of it reads line after line, so
/// that none needs memory of its own.
package final class LineTokens {
  struct Token {
    enum Kind {
      case text
      /// A text with escapes.
      case escaped
      /// Plain digits, which may be too many.
      case integer
      case number
      case bool
      case null
      case list
      case object
    }

    var kind: Kind
    /// Where it lies, the quotes of a text left out.
    var start: Int
    var end: Int
    /// How many elements or members it has.
    var count = 0
    /// The token behind it and all that is in it.
    var next = 0
    /// The marks of its members' names: without a name's mark there is no such member.
    var marks: UInt64 = 0

    /// One bit for a name, by its length and its ends; a name is never without bytes where it is asked for.
    static func mark(_ first: UInt8, _ last: UInt8, length: Int) -> UInt64 {
      1 << ((UInt64(first) &* 7 &+ UInt64(last) &* 3 &+ UInt64(truncatingIfNeeded: length)) & 63)
    }
  }

  private var bytes: [UInt8] = []
  private var tokens: [Token] = []

  package init() {}

  /// Reads a line; the tokens of the line before are gone.
  package func read(_ line: ArraySlice<UInt8>) throws(LineFault) {
    if scan(line, isCanonical: false) { return }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue.parse(Array(line))
    } catch {
      throw LineFault("\(error.message) (column \(error.column))")
    }
    // One name can be written in several ways, with escapes; written anew, it has one.
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

  /// Where the value of an object's member of that name is.
  ///
  /// - Parameter member: The name that is looked at first, and then those behind it, and then those before it.
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
      // The scanner has read it once, so that it can be read again.
      return try? scanner.string()
    }
  }

  package func integer(_ position: Int) -> Int64? {
    guard tokens[position].kind == .integer else { return nil }
    return withBytes(of: position, JSONScanner.integer)
  }

  /// The token as JSON without space.
  package func json(_ position: Int) -> String {
    let token = tokens[position]
    let isText = token.kind == .text || token.kind == .escaped
    let whole = isText ? token.start - 1..<token.end + 1 : token.start..<token.end
    return bytes.withUnsafeBufferPointer { bytes in
      // The scanner has read it once, so that it can be read again.
      (try? JSONValue.parse(UnsafeBufferPointer(rebasing: bytes[whole])).text()) ?? ""
    }
  }
}

/// A value of a line, good until the next line is read.
struct ImportValue {
  let tokens: LineTokens
  let position: Int

  var kind: LineTokens.Token.Kind { tokens[position].kind }
  var text: String? { tokens.text(position) }
  var integer: Int64? { tokens.integer(position) }
  var isNull: Bool { kind == .null }
  /// As JSON without space.
  var json: String { tokens.json(position) }

  /// Returns the body's result for a text without escapes.
  func bytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R?) -> R? {
    kind == .text ? tokens.withBytes(of: position, body) : nil
  }
}

extension LineTokens.Token.Kind {
  /// The name of such a value in messages.
  var name: String {
    switch self {
    case .text, .escaped: "a text"
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
  /// The element that comes next.
  private var element: ImportValue?
  private(set) var count = 0

  /// None.
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
