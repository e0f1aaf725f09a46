#if Receipts
/// A SHA-256 value; it compares fast and needs no heap allocation.
package struct SHA256Digest: Hashable, Comparable, Sendable {
  package static let byteCount = 32

  private var words: (UInt64, UInt64, UInt64, UInt64)

  /// - Parameter fill: Writes all bytes.
  package init(_ fill: (UnsafeMutableRawBufferPointer) -> Void) {
    words = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &words, fill)
  }

  /// Reads 64 hexadecimal digits; nil for anything else.
  package init?(hex: some StringProtocol) {
    guard hex.utf8.count == 2 * Self.byteCount, !hex.utf8.contains(where: { 65...90 ~= $0 }),
      let bytes = Hex.bytes(Array(hex.utf8))
    else { return nil }
    self.init { $0.copyBytes(from: bytes) }
  }

  package var hex: String { withBytes { Hex.text($0) } }

  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeBytes(of: words, body)
  }

  package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  /// Orders digests as their hexadecimal forms.
  package static func < (left: Self, right: Self) -> Bool {
    left.withBytes { left in right.withBytes { left.lexicographicallyPrecedes($0) } }
  }

  package func hash(into hasher: inout Hasher) { withBytes { hasher.combine(bytes: $0) } }
}

/// Computes SHA-256 values one after another, with one context.
package protocol SHA256Hasher: AnyObject {
  init()
  func begin()
  func add(_ bytes: UnsafeRawBufferPointer)
  func end() -> SHA256Digest
}

extension SHA256Hasher {
  /// The value of a text.
  package func digest(of text: String) -> SHA256Digest {
    begin()
    Array(text.utf8).withUnsafeBytes(add)
    return end()
  }
}
#endif
