/// Random choices that depend on nothing but the seed (SplitMix64).
struct SimulationGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Makes the dice for one event of a run: the same after all earlier events.
  init(seed: UInt64, event index: Int) {
    state = seed ^ (UInt64(bitPattern: Int64(index)) &+ 1) &* 0xD1B5_4A32_D192_ED03
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to below the bound.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

  /// Whether something with this chance happens.
  mutating func percent(_ chance: Int) -> Bool { below(100) < chance }

  mutating func one<Element>(of choices: [Element]) -> Element { choices[below(choices.count)] }
}
