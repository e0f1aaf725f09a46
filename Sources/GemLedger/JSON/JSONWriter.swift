/// Writes JSON token by token, as bytes, with commas, escapes and digits.
///
/// It makes no intermediate values. An export writes millions of lines, and every purchase makes a receipt and the
/// records of its queue.
package struct JSONWriter: ~Copyable {
  /// How the text looks.
  package enum Style: Sendable {
    /// Without space, and with the escapes that JSON demands.
    case compact
    /// One member or element a line.
    case pretty
    /// Without space; every control character is an escape, also beyond ASCII, so that none controls a terminal.
    case terminal
  }

  /// The kind of the last token, as far as the next token depends on it.
  @usableFromInline
  enum Place: UInt8 {
    /// A bracket that opens, so that neither comma nor space follows.
    case opening
    /// A name, or nothing yet.
    case name
    /// A value, so that a comma precedes the next value.
    case value
  }

  @usableFromInline var buffer: ByteBuffer
  @usableFromInline var place = Place.name
  @usableFromInline let style: Style
  private var depth = 0

  /// - Parameter capacity: About how many bytes are to be written.
  package init(style: Style = .compact, capacity: Int = 256) {
    self.style = style
    buffer = ByteBuffer(capacity: capacity)
  }

  /// The bytes written so far.
  package var bytes: [UInt8] { buffer.withBytes { Array($0) } }

  /// The bytes written so far, as a text.
  package var string: String { buffer.withBytes { String(decoding: $0, as: UTF8.self) } }

  // MARK: Objects and lists

  @inlinable
  package mutating func beginObject() { open(ASCII.leftBrace) }

  @inlinable
  package mutating func endObject() { close(ASCII.rightBrace) }

  @inlinable
  package mutating func beginList() { open(ASCII.leftBracket) }

  @inlinable
  package mutating func endList() { close(ASCII.rightBracket) }

  @inlinable
  mutating func open(_ bracket: UInt8) {
    beginValue()
    buffer.append(bracket)
    place = .opening
    if style == .pretty { indent(by: 1) }
  }

  @inlinable
  mutating func close(_ bracket: UInt8) {
    if style == .pretty { indent(by: -1) }
    buffer.append(bracket)
    place = .value
  }

  /// Writes a constant member name, which needs no escapes.
  @inlinable
  package mutating func name(_ name: StaticString) {
    beginMember()
    let length = name.utf8CodeUnitCount
    let next = buffer.room(for: length + 3)
    next.pointee = ASCII.quote
    (next + 1).update(from: name.utf8Start, count: length)
    next[length + 1] = ASCII.quote
    next[length + 2] = ASCII.colon
    buffer.advance(by: length + 3)
    endName()
  }

  /// Writes a member's name, with the escapes that it needs.
  package mutating func name(escaping name: String) {
    beginMember()
    quote(name)
    buffer.append(ASCII.colon)
    endName()
  }

  @inlinable @inline(__always)
  mutating func beginMember() {
    if place == .value { buffer.append(ASCII.comma) }
    if style == .pretty { breakLine() }
  }

  @inlinable @inline(__always)
  mutating func endName() {
    if style == .pretty { buffer.append(ASCII.space) }
    place = .name
  }

  /// Writes the separator before a value, and counts the value as written.
  @inlinable @inline(__always)
  mutating func beginValue() {
    if place == .value { buffer.append(ASCII.comma) }
    if style == .pretty, place != .name { breakLine() }
    place = .value
  }

  @usableFromInline
  mutating func indent(by levels: Int) {
    depth += levels
    if levels < 0, place == .value { breakLine() }
  }

  @usableFromInline
  mutating func breakLine() {
    buffer.append(ASCII.lineFeed)
    for _ in 0..<2 * depth { buffer.append(ASCII.space) }
  }

  // MARK: Lines

  /// Ends a line, so that the next value begins without a comma.
  package mutating func endLine() {
    buffer.append(ASCII.lineFeed)
    place = .name
  }

  /// How many bytes were written since the last ``removeAll()``.
  @inlinable package var count: Int { buffer.count }

  @inlinable
  package func withBytes<R>(from start: Int = 0, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    buffer.withBytes(from: start, body)
  }

  /// Removes the bytes and keeps their memory.
  package mutating func removeAll() { buffer.removeAll() }
}
