internal import Foundation
internal import GemLedger

/// Two programs of gembench, measured in turn: one round of each, and the other first in every second round.
///
/// Variations of the machine's speed thus affect both alike.
public struct Rivalry {
  private let old: String
  private let new: String
  private let arguments: [String]
  private let directory: String

  /// Makes the comparison.
  ///
  /// - Parameters:
  ///   - old: The path of the other program.
  ///   - new: The path of this program.
  ///   - arguments: The subjects and options for both, without the number of rounds.
  ///   - directory: A directory for temporary files.
  public init(old: String, new: String, arguments: [String], directory: String) {
    (self.old, self.new, self.arguments, self.directory) = (old, new, arguments, directory)
  }

  /// Measures the rounds, and prints the medians and ranges of both.
  public func run(rounds: Int, print: (String) -> Void) throws {
    let (before, after) = (Results(), Results())
    for round in 1...rounds {
      print("round \(round) of \(rounds)")
      let both = [(old, before), (new, after)]
      for (program, results) in round % 2 == 1 ? both : both.reversed() { results.add(try measure(program)) }
    }
    after.compare(to: before, isInterleaved: true, print: print)
  }

  private func measure(_ program: String) throws -> Results {
    let file = URL(fileURLWithPath: directory).appendingPathComponent("gembench-\(UUID().uuidString).json")
    // A file that cannot be removed stays in the directory for temporary files.
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments + ["--rounds", "1", "--save", file.path]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw LedgerError(
        .invalidRequest,
        "\(program) ended with status \(process.terminationStatus). It must be a gembench that knows --save.")
    }
    return try Results(file: file.path)
  }
}
