import Foundation
import GemBenchmarks

@main
enum Gembench {
  static func main() { exit(runProcess()) }
}

/// What the command line asks for.
private struct Request {
  var settings = Bench.Settings(directory: FileManager.default.temporaryDirectory.path)
  var subjects: [Bench.Subject] = []
  /// The subjects and options for another program, without the number of rounds.
  var passed: [String] = []
  var file: String?
  var baseline: String?
  var rival: String?
  var wantsHelp = false
  /// The argument that is unknown or has no value.
  var wrong: String?

  init(_ arguments: [String]) {
    var rest = arguments[...]
    while wrong == nil, let argument = rest.popFirst() {
      if argument == "--help" || argument == "-h" {
        wantsHelp = true
      } else if let subject = Bench.Subject(rawValue: argument) {
        subjects.append(subject)
        passed.append(argument)
      } else if let value = rest.popFirst(), take(argument, value) {
        if !["--rounds", "--save", "--baseline", "--against"].contains(argument) { passed += [argument, value] }
      } else {
        wrong = argument
      }
    }
    if subjects.isEmpty {
      subjects = [.memory, .sqlite, .size, .lots]
      passed = subjects.map(\.rawValue) + passed
    }
  }

  private mutating func take(_ option: String, _ value: String) -> Bool {
    switch option {
    case "--directory": settings.directory = value
    case "--storage": settings.storage = value
    case "--save": file = value
    case "--baseline": baseline = value
    case "--against": rival = value
    default:
      guard let number = Int(value), number > 0 else { return false }
      switch option {
      case "--rounds": settings.rounds = number
      case "--customers": settings.customerCount = number
      case "--operations": settings.operationCount = number
      case "--entries": settings.entryCount = number
      default: return false
      }
    }
    return true
  }
}

// A plain function: closures made in `main` are bound to the main actor, which the callers' tasks are not.
nonisolated private func runProcess() -> Int32 {
  do {
    if try Bench.runProcess(Array(CommandLine.arguments.dropFirst())) { return 0 }
    let request = Request(Array(CommandLine.arguments.dropFirst()))
    if request.wantsHelp {
      printHelp()
      return 0
    }
    if let wrong = request.wrong {
      FileHandle.standardError.write(Data("error: \"\(wrong)\" is no subject or option; see gembench --help\n".utf8))
      return 64
    }
    #if DEBUG
    print("warning: built for debugging; these figures mean nothing. Use `swift run -c release gembench`.")
    #endif
    try run(request)
    return 0
  } catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    return 1
  }
}

nonisolated private func run(_ request: Request) throws {
  let settings = request.settings
  if let old = request.rival {
    return try Rivalry(
      old: old, new: CommandLine.arguments[0], arguments: request.passed, directory: settings.directory
    ).run(rounds: settings.rounds, print: show)
  }
  // A file that cannot be read is an error at once, and not after an hour.
  let baseline = try request.baseline.map { try Results(file: $0) }
  let results = Results()
  for subject in request.subjects { try Bench.run(subject, settings, into: results, print: show) }
  if let file = request.file { try results.save(file) }
  if let baseline { results.compare(to: baseline, isInterleaved: false, print: show) }
}

nonisolated private func show(_ line: String) {
  print(line)
  fflush(nil)
}

nonisolated private func printHelp() {
  print("Usage: gembench [SUBJECT...] [--rounds N] [--customers N] [--operations N] [--entries N]")
  print("                [--directory DIR] [--storage URL] [--save FILE] [--baseline FILE] [--against GEMBENCH]\n")
  print("Medians and ranges of the rounds, which are run in turn: A B A B. Without a subject: memory sqlite size lots.")
  print("--save writes all rounds to a file, and --baseline compares with such a file. --against runs another gembench")
  print("and this one in turn, a round each, and compares them: the measure of a change.\n")
  for subject in Bench.Subject.allCases {
    let name = subject.rawValue
    print("  \(name)\(String(repeating: " ", count: max(1, 10 - name.count)))\(subject.summary)")
  }
  print("\nExamples:")
  print("  swift run -c release gembench sqlite --customers 100000 --rounds 5")
  print("  .build/release/gembench sqlite --against ../before/.build/release/gembench --rounds 7")
}
