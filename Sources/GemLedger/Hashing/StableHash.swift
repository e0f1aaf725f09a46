/// A 64-bit hash that is the same in every process and for all time (FNV-1a with a final mix).
///
/// It distinguishes requests and marks the ledger's tokens. It does not resist deliberate collisions, and need not:
/// a caller with a deliberate collision only gets an earlier answer to the same caller.
package struct StableHash {
  @usableFromInline var state: UInt64

  @inlinable
  package init(seed: UInt64 = 0) { state = 0xCBF2_9CE4_8422_2325 ^ seed }

  @inlinable
  package mutating func combine(_ number: UInt64) {
    state = (state ^ number) &* 0x9E37_79B9_7F4A_7C15
    state ^= state >> 29
  }

  @inlinable
  package mutating func combine(_ text: String) {
    combine(UInt64(text.utf8.count))
    for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
  }

  /// Combines a long text, eight bytes at a time.
  package mutating func combine(long text: String) {
    var text = text
    text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      combine(UInt64(bytes.count))
      let whole = bytes.count & ~7
      for offset in stride(from: 0, to: whole, by: 8) {
        combine(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      }
      combine(bytes[whole...].reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  @inlinable package var value: UInt64 {
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Returns the number with this hash: two single numbers never have the same hash.
  package static func number(ofHash value: UInt64, seed: UInt64) -> UInt64 {
    var mixed = unshifted(value, by: 31) &* inverse(of: 0x94D0_49BB_1331_11EB)
    mixed = unshifted(mixed, by: 27) &* inverse(of: 0xBF58_476D_1CE4_E5B9)
    let state = unshifted(unshifted(mixed, by: 30), by: 29) &* inverse(of: 0x9E37_79B9_7F4A_7C15)
    return state ^ Self(seed: seed).state
  }

  /// Returns the `x` for which `x ^ x >> count` is the value.
  private static func unshifted(_ value: UInt64, by count: UInt64) -> UInt64 {
    var number = value
    for _ in 0..<(64 / count) { number = value ^ number >> count }
    return number
  }

  /// Returns the inverse of an odd number, so that their product is 1; each step doubles the correct bits.
  private static func inverse(of number: UInt64) -> UInt64 {
    var inverse = number
    for _ in 0..<5 { inverse = inverse &* (2 &- number &* inverse) }
    return inverse
  }
}
