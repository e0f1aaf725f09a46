internal import Foundation

/// Random choices that a printed seed repeats (SplitMix64).
package struct SeededRandom: RandomNumberGenerator {
  package let seed: UInt64
  private var state: UInt64

  /// Prints the seed, so that a failure can be repeated even after a trap.
  package init(seed: UInt64 = .random(in: 0 ... .max), for test: String = #function) {
    self.seed = seed
    state = seed
    print("\(test): seed \(seed)")
    fflush(nil)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  package mutating func percent(_ chance: Int) -> Bool { below(100) < chance }
  package mutating func one<C: Collection>(of choices: C) -> C.Element {
    choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
  }
}
