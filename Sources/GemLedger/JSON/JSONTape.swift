/// One JSON text as a flat list of its tokens, in the order of the text.
///
/// Reading makes no values: ``JSONNode`` makes a value of a token when it is asked for it. An import reads millions of
/// lines, and reuses the memory of the tokens for each of them. It accepts and refuses the same texts as
/// ``JSONValue/parse(_:)-swift.type.method``.
package struct JSONTape: ~Copyable {
  private var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private var tokens: [JSONToken] = []
  /// The texts that the text has with escapes.
  private var decoded = ByteBuffer(capacity: 0)

  package init() {}

  /// Reads a text, whose memory must outlive all use of the tape's nodes.
  ///
  /// - Throws: ``JSONError`` with the position of the first fault.
  /// - Complexity: O(n), one pass.
  package mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    precondition(bytes.count <= UInt32.max, "A token has positions of 32 bits")
    self.bytes = bytes
    tokens.removeAll(keepingCapacity: true)
    decoded.removeAll()
    var scanner = JSONScanner(bytes)
    do throws(JSONFailure) {
      try scanner.begin()
      try value(&scanner)
      try scanner.end()
    } catch {
      throw JSONError(error, in: bytes)
    }
  }

  /// Calls the body with the value of the text that was read; the node and its parts must not escape it.
  package func withRoot<Answer, Failure: Error>(
    _ body: (JSONNode) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try tokens.withUnsafeBufferPointer { (tokens) throws(Failure) in
      guard let first = tokens.baseAddress else { preconditionFailure("No text was read") }
      return try body(JSONNode(first, bytes: bytes.baseAddress, decoded: decoded.bytes))
    }
  }

  // MARK: Values

  private mutating func value(_ scanner: inout JSONScanner) throws(JSONFailure) {
    switch try scanner.kind() {
    case .text: try text(try scanner.text(isName: false), scanner)
    case .object: try object(&scanner)
    case .list: try list(&scanner)
    case .number:
      let start = scanner.position
      let isPlain = try scanner.number()
      scalar(isPlain ? .plainNumber : .otherNumber, from: start, scanner)
    case .true: try word("true", .true, &scanner)
    case .false: try word("false", .false, &scanner)
    case .null: try word("null", .null, &scanner)
    }
  }

  private mutating func word(
    _ word: StaticString, _ kind: JSONToken.Kind, _ scanner: inout JSONScanner
  ) throws(JSONFailure) {
    let start = scanner.position
    try scanner.word(word)
    scalar(kind, from: start, scanner)
  }

  private mutating func scalar(_ kind: JSONToken.Kind, from start: Int, _ scanner: borrowing JSONScanner) {
    tokens.append(JSONToken(kind, start, scanner.position))
  }

  private mutating func text(_ text: JSONScanner.Text, _ scanner: borrowing JSONScanner) throws(JSONFailure) {
    if !text.isASCII { _ = try scanner.string(of: text) }
    guard !text.isPlain else { return tokens.append(JSONToken(.text, text.start, text.end)) }
    let start = decoded.count
    scanner.decoded.withUnsafeBufferPointer { decoded.append($0) }
    tokens.append(JSONToken(.decodedText, start, decoded.count))
  }

  private mutating func list(_ scanner: inout JSONScanner) throws(JSONFailure) {
    let list = begin(.list, scanner)
    if try scanner.open(closing: ASCII.rightBracket) {
      repeat {
        do throws(JSONFailure) { try value(&scanner) } catch {
          throw error.leaving(.element(Int(tokens[list].count)))
        }
        tokens[list].count += 1
      } while try scanner.more(closing: ASCII.rightBracket)
    }
    end(list, scanner)
  }

  private mutating func object(_ scanner: inout JSONScanner) throws(JSONFailure) {
    let object = begin(.object, scanner)
    if try scanner.open(closing: ASCII.rightBrace) {
      var names: Set<ByteString> = []
      repeat {
        try member(of: object, &names, &scanner)
      } while try scanner.more(closing: ASCII.rightBrace)
    }
    end(object, scanner)
  }

  private mutating func member(
    of object: Int, _ names: inout Set<ByteString>, _ scanner: inout JSONScanner
  ) throws(JSONFailure) {
    let (start, name) = (scanner.position, tokens.count)
    try text(try scanner.name(), scanner)
    let bit = withNode(name) { JSONToken.nameBit($0.utf8) }
    guard reserve(name, bit, in: object, &names) else {
      throw JSONFailure("The name \"\(string(name).prefix(100))\" occurs twice in one object.", at: start)
    }
    tokens[object].nameBits |= bit
    try scanner.colon()
    do throws(JSONFailure) { try value(&scanner) } catch { throw error.leaving(.member(string(name))) }
    tokens[object].count += 1
  }

  /// From this number of members, a set of their names replaces the walk over them.
  private static let walkedMax = 32

  /// Whether no earlier member of the object has the name.
  private func reserve(
    _ index: Int, _ bit: UInt64, in object: Int, _ names: inout Set<ByteString>
  ) -> Bool {
    withRoot { root in
      let (name, object) = (JSONNode(root, at: index), JSONNode(root, at: object))
      guard object.count >= Self.walkedMax else {
        return !object.mayHaveMember(bit) || !object.members.contains { Bytes.areEqual($0.name.utf8, name.utf8) }
      }
      if names.isEmpty { names = Set(object.members.map { ByteString($0.name.text ?? "") }) }
      return names.insert(ByteString(name.text ?? "")).inserted
    }
  }

  // MARK: Tokens

  private mutating func begin(_ kind: JSONToken.Kind, _ scanner: borrowing JSONScanner) -> Int {
    tokens.append(JSONToken(kind, scanner.position, 0))
    return tokens.count - 1
  }

  private mutating func end(_ index: Int, _ scanner: borrowing JSONScanner) {
    tokens[index].end = UInt32(scanner.position)
    tokens[index].extent = UInt32(tokens.count - index)
  }

  private func withNode<Answer>(_ index: Int, _ body: (JSONNode) -> Answer) -> Answer {
    withRoot { body(JSONNode($0, at: index)) }
  }

  private func string(_ index: Int) -> String { withNode(index) { $0.text ?? "" } }
}

/// One token of a JSON text: a name, a scalar value, or a list or an object, whose parts follow it.
struct JSONToken {
  enum Kind: UInt8 {
    case text
    /// A text that had escapes, whose bytes are apart.
    case decodedText
    case plainNumber
    case otherNumber
    case `true`
    case `false`
    case null
    case list
    case object
  }

  let kind: Kind
  /// The first byte; of texts the byte after the quote.
  let start: UInt32
  /// The position after the last byte.
  var end: UInt32
  /// The number of tokens from this to the next value after it.
  var extent: UInt32 = 1
  /// The number of elements or members.
  var count: UInt32 = 0
  /// Of an object, a bit for each name, which several names may share.
  var nameBits: UInt64 = 0

  init(_ kind: Kind, _ start: Int, _ end: Int) {
    self.kind = kind
    self.start = UInt32(start)
    self.end = UInt32(end)
  }

  static func nameBit(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let ends = (name.first ?? 0) &* 5 ^ (name.last ?? 0)
    return 1 << UInt64((UInt8(truncatingIfNeeded: name.count) &* 7 ^ ends) & 63)
  }
}
