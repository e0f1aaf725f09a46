/// A 64-bit hash that is the same in every process and for all time (FNV-1a with a final mix).
///
/// It tells requests apart and marks our own tokens. It is no protection against somebody who wants a collision, and
/// nothing here needs one: who collides on purpose gets an answer of their own again.
package struct StableHash {
  private var state: UInt64

  package init(seed: UInt64 = 0) { state = 0xCBF2_9CE4_8422_2325 ^ seed }

  package mutating func combine(_ number: UInt64) {
    state = (state ^ number) &* 0x9E37_79B9_7F4A_7C15
    state ^= state >> 29
  }

  package mutating func combine(_ text: String) {
    combine(UInt64(text.utf8.count))
    for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
  }

  package var value: UInt64 {
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
