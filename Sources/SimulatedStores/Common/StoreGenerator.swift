/// Randomness of a shop: the draw with a number depends only on the seed, so that a reopened store continues its
/// sequence.
struct StoreGenerator: Hashable, Sendable {
  let seed: UInt64

  func draw(_ number: UInt64, for purpose: UInt64 = 0) -> UInt64 {
    var mixed = seed &+ (number &+ 1) &* 0x9E37_79B9_7F4A_7C15 ^ purpose &* 0xD6E8_FEB8_6659_FD93
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
