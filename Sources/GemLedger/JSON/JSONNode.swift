/// A value or a name of a ``JSONTape``, which makes Swift values of the text's bytes.
///
/// It points into the tape and into the text, and is valid only as long as both.
package struct JSONNode {
  private let token: UnsafePointer<JSONToken>
  private let bytes: UnsafePointer<UInt8>?
  private let decoded: UnsafePointer<UInt8>

  init(_ token: UnsafePointer<JSONToken>, bytes: UnsafePointer<UInt8>?, decoded: UnsafePointer<UInt8>) {
    self.token = token
    self.bytes = bytes
    self.decoded = decoded
  }

  /// The node that is a number of tokens after another.
  init(_ other: Self, at distance: Int) {
    self.init(other.token + distance, bytes: other.bytes, decoded: other.decoded)
  }

  /// The name or value after this one.
  var next: Self { Self(self, at: Int(token.pointee.extent)) }
  /// The first element or name; only if there is one.
  var first: Self { Self(self, at: 1) }
  /// The number of elements or members.
  var count: Int { Int(token.pointee.count) }
}

// Scalar values.
extension JSONNode {
  package var isNull: Bool { token.pointee.kind == .null }
  package var isObject: Bool { token.pointee.kind == .object }
  package var isText: Bool { token.pointee.kind == .text || token.pointee.kind == .decodedText }

  package var text: String? { isText ? String(decoding: utf8, as: UTF8.self) : nil }

  /// The bytes of a text without quotes and escapes, and those of any other value as they were written.
  package var utf8: UnsafeBufferPointer<UInt8> {
    let token = token.pointee
    let start = (token.kind == .decodedText ? decoded : bytes).map { $0 + Int(token.start) }
    return UnsafeBufferPointer(start: start, count: Int(token.end - token.start))
  }

  package var integer: Int64? { token.pointee.kind == .plainNumber ? JSONScanner.integer(utf8) : nil }

  /// The name of such a value in messages; see ``JSONValue/kind``.
  package var kind: String { value.kind }
}

// Values with parts.
extension JSONNode {
  /// The elements of a list; nil of any other value.
  package var elements: Elements? {
    token.pointee.kind == .list ? Elements(upcoming: first, count: count) : nil
  }

  /// The members of an object; none of any other value.
  package var members: Members { Members(upcoming: first, count: isObject ? count : 0) }

  /// Whether an object may have a member whose name has this bit: false only if it has none.
  func mayHaveMember(_ nameBit: UInt64) -> Bool { token.pointee.nameBits & nameBit != 0 }

  /// Returns the value of an object's member.
  ///
  /// - Parameter upcoming: The members to compare first; if the member is found, those that follow it.
  func member(_ name: StaticString, from upcoming: inout Members) -> Self? {
    let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    // Most rows lack some of the members that they may have.
    guard mayHaveMember(JSONToken.nameBit(name)) else { return nil }
    var rest = upcoming
    for _ in 0..<count {
      if rest.isEmpty { rest = members }
      guard let member = rest.next() else { return nil }
      if Bytes.areEqual(member.name.utf8, name) {
        upcoming = rest
        return member.value
      }
    }
    return nil
  }

  package struct Elements: Sequence, IteratorProtocol {
    fileprivate var upcoming: JSONNode
    package fileprivate(set) var count: Int

    /// The number of elements to reserve memory for: they may be faulty, and much smaller than their rows.
    package var reservedCount: Int { Swift.min(count, 64) }

    package mutating func next() -> JSONNode? {
      guard count > 0 else { return nil }
      count -= 1
      defer { upcoming = upcoming.next }
      return upcoming
    }
  }

  package struct Members: Sequence, IteratorProtocol {
    fileprivate var upcoming: JSONNode
    fileprivate var count: Int

    fileprivate var isEmpty: Bool { count == 0 }

    package mutating func next() -> (name: JSONNode, value: JSONNode)? {
      guard count > 0 else { return nil }
      count -= 1
      let (name, value) = (upcoming, upcoming.next)
      upcoming = value.next
      return (name, value)
    }
  }

  /// The value with all its parts.
  package var value: JSONValue {
    switch token.pointee.kind {
    case .text, .decodedText: .string(String(decoding: utf8, as: UTF8.self))
    case .plainNumber, .otherNumber: integer.map(JSONValue.integer) ?? .number(String(decoding: utf8, as: UTF8.self))
    case .true: true
    case .false: false
    case .null: .null
    case .list: .array(elements?.map(\.value) ?? [])
    case .object: .object(JSONObject(members.map { (name: $0.name.text ?? "", value: $0.value.value) }))
    }
  }

  /// The value as JSON without space; see ``JSONValue/text(_:)``.
  package var json: String { isCompact ? String(decoding: utf8, as: UTF8.self) : value.text() }

  /// Whether the value's bytes are those that the compact form has: neither space nor escapes.
  private var isCompact: Bool {
    guard !isText else { return false }
    var length = 0
    for distance in 0..<Int(token.pointee.extent) {
      let token = token[distance]
      switch token.kind {
      case .decodedText: return false
      case .text: length += Int(token.end - token.start) + 2
      // The brackets, and the commas.
      case .list: length += 2 + max(0, Int(token.count) - 1)
      // The colons too.
      case .object: length += 2 + max(0, 2 * Int(token.count) - 1)
      default: length += Int(token.end - token.start)
      }
    }
    return length == utf8.count
  }
}
