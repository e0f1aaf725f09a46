import GemLedger
import GemLedgerSQLite

/// Damages ledgers and asks everything of them, for tests that a damaged file ends no process.
///
///     gemdamage values LEDGER DIRECTORY FIRST COUNT
///     gemdamage pages  LEDGER DIRECTORY FIRST COUNT
///     gemdamage export EXPORT DIRECTORY FIRST COUNT
///
/// Each case has a seed, from FIRST on. `values` puts extreme values into columns, `pages` swaps, empties and changes
/// pages of the file, `export` changes numbers in the lines of an export. It prints `seed`, the damage, and each verb
/// before the verb begins. The last line of a process that was ended therefore names the cause. An alarm ends a case
/// that takes too long.
@main
enum Gemdamage {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 6, let first = UInt64(arguments[4]), let count = UInt64(arguments[5]) else {
      System.fail("usage: gemdamage values|pages|export ORIGINAL DIRECTORY FIRST COUNT")
    }
    do {
      let fixture = DamagedFixture(original: arguments[2], directory: arguments[3])
      let known = arguments[1] == "export" ? KnownLedger() : try KnownLedger(arguments[2])
      for seed in first..<first + count {
        System.end(afterSeconds: secondsPerCase)
        System.say("seed \(seed)\n")
        var generator = CaseGenerator(seed: seed)
        switch arguments[1] {
        case "values": try fixture.damageValues(known, &generator)
        case "pages": try fixture.damagePages(known, &generator)
        case "export": try fixture.damageExport(&generator)
        default: System.fail("unknown damage \(arguments[1])")
        }
      }
    } catch {
      System.fail("\(error)")
    }
  }

  /// A case without a problem takes a fiftieth of this.
  private static let secondsPerCase: UInt32 = 60
}

/// Choices that a seed repeats (SplitMix64).
struct CaseGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  mutating func percent(_ chance: Int) -> Bool { below(100) < chance }

  mutating func one<C: Collection>(of choices: C) -> C.Element {
    choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
  }
}
