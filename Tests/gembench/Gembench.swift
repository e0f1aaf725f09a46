import Foundation
import GemBenchmarks

@main
enum Gembench {
  static func main() { exit(runProcess()) }
}

// A plain function: closures made in `main` are bound to the main actor, which the callers' tasks are not.
nonisolated private func runProcess() -> Int32 {
  do {
    if try Bench.runProcess(Array(CommandLine.arguments.dropFirst())) { return 0 }
  } catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    return 1
  }
  var settings = Bench.Settings(directory: FileManager.default.temporaryDirectory.path)
  var subjects: [Bench.Subject] = []
  var arguments = CommandLine.arguments.dropFirst()
  while let argument = arguments.popFirst() {
    if argument == "--help" || argument == "-h" {
      printHelp()
      return 0
    }
    if let subject = Bench.Subject(rawValue: argument) {
      subjects.append(subject)
      continue
    }
    guard let value = arguments.popFirst(), set(argument, value, &settings) else {
      FileHandle.standardError.write(Data("error: \"\(argument)\" is no subject or option; see gembench --help\n".utf8))
      return 64
    }
  }
  #if DEBUG
  print("warning: built for debugging; these figures mean nothing. Use `swift run -c release gembench`.")
  #endif
  do {
    for subject in subjects.isEmpty ? [.memory, .sqlite, .size, .lots] : subjects {
      try Bench.run(subject, settings) { line in
        print(line)
        fflush(nil)
      }
    }
    return 0
  } catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    return 1
  }
}

nonisolated private func set(_ option: String, _ value: String, _ settings: inout Bench.Settings) -> Bool {
  if option == "--directory" {
    settings.directory = value
    return true
  }
  if option == "--storage" {
    settings.storage = value
    return true
  }
  guard let number = Int(value), number > 0 else { return false }
  switch option {
  case "--rounds": settings.rounds = number
  case "--customers": settings.customerCount = number
  case "--operations": settings.operationCount = number
  case "--entries": settings.entryCount = number
  default: return false
  }
  return true
}

nonisolated private func printHelp() {
  print("Usage: gembench [SUBJECT...] [--rounds N] [--customers N] [--operations N] [--entries N]")
  print("                [--directory DIR] [--storage URL]\n")
  print("Medians of the rounds, which are run in turn: A B A B. Without a subject: memory sqlite size lots.\n")
  for subject in Bench.Subject.allCases {
    let name = subject.rawValue
    print("  \(name)\(String(repeating: " ", count: max(1, 10 - name.count)))\(subject.summary)")
  }
  print("\nExample: swift run -c release gembench sqlite --customers 100000 --rounds 5")
}
