#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files of the folder `Fixtures` at the package's top.
enum Fixture {
  static func bytes(_ name: String) throws -> [UInt8] {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: top.appending(path: "Fixtures/" + name)))
  }
}

/// SplitMix64: the same numbers from the same seed, everywhere.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Spoils bytes the way that a bad disk, a bad editor or a bad person does.
struct ByteMutator {
  let seed: UInt64
  private var generator: SeededGenerator

  /// Prints the seed, a random one unless given, so that a failure can be repeated even after a trap.
  init(seed: UInt64 = .random(in: 0...UInt64.max), for test: String = #function) {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    print("\(test): seed \(seed)")
    fflush(nil)
  }

  mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      guard let index = bytes.indices.randomElement(using: &generator) else { return bytes }
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.insert(Self.telling.randomElement(using: &generator) ?? 0, at: index)
      case 2: bytes.remove(at: index)
      case 3: bytes.removeSubrange(index...)
      default: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
      }
    }
    return bytes
  }

  private static let telling = Array("{}[],:\"\\u0-9.eE+tfn \u{0}é😀".utf8)
}
