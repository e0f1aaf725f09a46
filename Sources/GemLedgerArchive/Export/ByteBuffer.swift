internal import GemLedger

/// Bytes that are written from front to back, and the JSON tokens that they are made of.
///
/// Room is made once for a whole token, and its bytes are then stored without further checks; an array checks its owner
/// and its end with every byte.
struct ByteBuffer: ~Copyable {
  private(set) var count = 0
  private var bytes: UnsafeMutablePointer<UInt8>
  private var capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  mutating func removeAll() { count = 0 }

  func withBytes<R>(from start: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    body(UnsafeRawBufferPointer(start: bytes + start, count: count - start))
  }

  /// Where so many bytes may be stored.
  @inline(__always)
  private mutating func room(for length: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity - count < length { grow(by: length) }
    return bytes + count
  }

  private mutating func grow(by length: Int) {
    capacity = 2 * capacity + length
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: bytes, count: count)
    bytes.deallocate()
    bytes = larger
  }

  // MARK: Bytes

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    room(for: 1).pointee = byte
    count += 1
  }

  mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress else { return }
    room(for: text.count).update(from: start, count: text.count)
    count += text.count
  }

  mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  // MARK: Tokens

  /// A member's name with its colon, and the comma before it.
  mutating func append(member name: StaticString, isFirst: Bool) {
    let length = name.utf8CodeUnitCount
    var next = room(for: length + 4)
    if !isFirst {
      next.pointee = ASCII.comma
      next += 1
    }
    next.pointee = ASCII.quote
    (next + 1).update(from: name.utf8Start, count: length)
    next[length + 1] = ASCII.quote
    next[length + 2] = ASCII.colon
    count += length + (isFirst ? 3 : 4)
  }

  mutating func append(_ integer: Int64) {
    // The lowest number has twenty bytes.
    let end = room(for: 20) + 20
    var next = end
    var rest = integer.magnitude
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      next -= 1
      next.pointee = ASCII.zero + UInt8(digit)
      rest = quotient
    } while rest > 0
    if integer < 0 {
      next -= 1
      next.pointee = ASCII.minus
    }
    (bytes + count).update(from: next, count: end - next)
    count += end - next
  }

  /// The text in quotes, with the escapes that it needs.
  mutating func append(quoted text: String) {
    var text = text
    text.withUTF8 { utf8 in
      guard JSONRun(in: utf8, from: 0).end == utf8.count else {
        var escaped: [UInt8] = []
        JSONWriter.append(String(decoding: utf8, as: UTF8.self), to: &escaped)
        return escaped.withUnsafeBufferPointer { append($0) }
      }
      append(plain: utf8)
    }
  }

  /// A text that needs no escapes, in quotes.
  mutating func append(plain text: UnsafeBufferPointer<UInt8>) {
    append(ASCII.quote)
    append(text)
    append(ASCII.quote)
  }

  /// Sixteen hexadecimal digits in quotes.
  mutating func append(hexadecimal number: UInt64) {
    let next = room(for: 18)
    next[0] = ASCII.quote
    HexForm.write(number, to: next + 1)
    next[17] = ASCII.quote
    count += 18
  }

  /// A UUID in quotes.
  mutating func append(uuid high: UInt64, _ low: UInt64) {
    let next = room(for: 38)
    next[0] = ASCII.quote
    HexForm.write(high: high, low: low, to: next + 1)
    next[37] = ASCII.quote
    count += 38
  }
}

/// Writes instants as ``Timestamp/description`` does; the journal repeats its seconds, so the last one is kept.
struct TimestampBytes {
  private var second: Int64 = .min
  private var text: [UInt8] = []

  /// Appends the instant in quotes.
  mutating func append(_ instant: Timestamp, to buffer: inout ByteBuffer) {
    let (quotient, remainder) = instant.milliseconds.quotientAndRemainder(dividingBy: 1000)
    let second = remainder < 0 ? quotient - 1 : quotient
    let fraction = remainder < 0 ? remainder + 1000 : remainder
    if second != self.second {
      self.second = second
      // A store may have said any date; the first second there is begins before the first millisecond.
      let (start, overflow) = second.multipliedReportingOverflow(by: 1000)
      text = Array("\"\(Timestamp(milliseconds: overflow ? .min : start).description.dropLast(4))".utf8)
    }
    text.withUnsafeBufferPointer { buffer.append($0) }
    for divisor in [100, 10, 1] as [Int64] { buffer.append(ASCII.zero + UInt8(fraction / divisor % 10)) }
    buffer.append(UInt8(ascii: "Z"))
    buffer.append(ASCII.quote)
  }
}
