/// Bytes that are written from front to back.
///
/// Memory is reserved once for a whole token, and its bytes are then stored without further checks; an array checks
/// its owner and its end with every byte.
package struct ByteBuffer: ~Copyable {
  /// How many bytes were written.
  @usableFromInline package internal(set) var count = 0
  @usableFromInline var bytes: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int

  package init(capacity: Int) {
    self.capacity = max(capacity, 16)
    bytes = .allocate(capacity: self.capacity)
  }

  deinit { bytes.deallocate() }

  /// Removes the bytes and keeps their memory.
  package mutating func removeAll() { count = 0 }

  @inlinable
  package func withBytes<R>(from start: Int = 0, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    body(UnsafeRawBufferPointer(start: bytes + start, count: count - start))
  }

  /// The memory for this number of further bytes; ``advance(by:)`` then counts them.
  @inlinable @inline(__always)
  package mutating func room(for length: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity - count < length { grow(by: length) }
    return bytes + count
  }

  /// Counts bytes that were stored after the last byte.
  @inlinable @inline(__always)
  package mutating func advance(by length: Int) { count += length }

  @usableFromInline
  mutating func grow(by length: Int) {
    capacity = 2 * capacity + length
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: bytes, count: count)
    bytes.deallocate()
    bytes = larger
  }

  @inlinable @inline(__always)
  package mutating func append(_ byte: UInt8) {
    room(for: 1).pointee = byte
    count += 1
  }

  @inlinable
  package mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress else { return }
    room(for: text.count).update(from: start, count: text.count)
    count += text.count
  }

  @inlinable
  package mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
