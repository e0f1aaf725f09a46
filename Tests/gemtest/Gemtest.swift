import Foundation

/// Runs the tests of a built bundle in several processes at once, and reports them as one run.
///
///     gemtest BUNDLE --times FILE --logs DIRECTORY --temporary DIRECTORY [--tier quick|thorough|K/N]
///       [--only MODULE,…] [--filter REGEX] [--jobs N] [--show-times [--build-seconds WALL,PROCESSOR]] [--record]
///
/// `.ci/test` builds the bundle and starts it. The exit status is 0 if every listed test passed or was skipped, 1 if a
/// test failed, and 64 or 70 if nothing could be run.
@main
enum Gemtest {
  static func main() {
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Closures made in `main` itself would be bound to the main actor.
  private static func run(_ arguments: [String]) -> Int32 {
    do {
      return try perform(Options(arguments))
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      return error is Options.Problem ? 64 : 70
    }
  }

  private static func perform(_ options: Options) throws -> Int32 {
    let bundle = TestBundle(path: options.bundle)
    let tests = try bundle.tests().filter(options.includes)
    guard !tests.isEmpty else { throw Options.Problem("no test matches; `.ci/test --list` prints all names") }
    if options.lists {
      for test in tests { print(test) }
      return 0
    }
    var times = try TestTimes(file: options.times)
    let thorough = times.share(options.part, of: options.partCount, tests)
    let tier: (TestName) -> Tier = { thorough.contains($0) ? .thorough : options.tier }
    let units = TestUnit.divide(tests, in: tier, times)
    var run = TestRun(bundle: bundle, options: options, units: units)
    let report = TestReport(results: try run.perform(), wallSeconds: run.wallSeconds)
    if options.showsTimes { report.printTimes(build: options.buildSeconds) }
    if options.records {
      times.record(report.results, in: tier)
      try times.write(to: options.times)
    }
    report.printSummary(logs: options.logs)
    return report.isSuccess ? 0 : 1
  }
}

/// How much of their seeds and steps the tests play; its names are the values of `GEMLEDGER_TIER`.
enum Tier: String {
  case quick
  case thorough
}

/// What the command line asks for.
struct Options {
  struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  private(set) var bundle = ""
  private(set) var times = ""
  private(set) var logs = ""
  private(set) var temporary = ""
  private(set) var tier = Tier.quick
  /// Which of so many shares of the tests plays the thorough tier.
  private(set) var (part, partCount) = (-1, 1)
  /// How many processes run at once; PostgreSQL's connections bound them.
  private(set) var jobs = min(2 * ProcessInfo.processInfo.activeProcessorCount, 16)
  private(set) var showsTimes = false
  private(set) var records = false
  private(set) var lists = false
  /// Wall and processor seconds of the build before the run.
  private(set) var buildSeconds: [Double] = []
  private var modules: Set<String> = []
  private var filter: Regex<AnyRegexOutput>?

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "--show-times": showsTimes = true
      case "--record": records = true
      case "--list": lists = true
      default:
        guard word.hasPrefix("--") else {
          bundle = word
          continue
        }
        guard let value = rest.popFirst() else { throw Problem("\(word) needs a value") }
        try set(word, value)
      }
    }
    for (name, value) in [("BUNDLE", bundle), ("--times", times), ("--logs", logs), ("--temporary", temporary)]
    where value.isEmpty {
      throw Problem("\(name) is missing")
    }
  }

  private mutating func set(_ option: String, _ value: String) throws {
    switch option {
    case "--times": times = value
    case "--logs": logs = value
    case "--temporary": temporary = value
    case "--tier": try setTier(value)
    case "--only": modules = Set(value.split(separator: ",").map(String.init))
    case "--build-seconds": buildSeconds = value.split(separator: ",").compactMap { Double($0) }
    case "--jobs":
      guard let count = Int(value), (1...256).contains(count) else {
        throw Problem("--jobs takes a number from 1 to 256, not \(value)")
      }
      jobs = count
    case "--filter":
      do { filter = try Regex(value) } catch { throw Problem("--filter \(value): not a regular expression") }
    default: throw Problem("unknown option \(option)")
    }
  }

  private mutating func setTier(_ value: String) throws {
    if let tier = Tier(rawValue: value) {
      self.tier = tier
    } else if let match = value.wholeMatch(of: /(\d+)\/(\d+)/), let part = Int(match.1), let count = Int(match.2),
      part < count
    {
      (self.part, partCount) = (part, count)
    } else {
      throw Problem("a tier is quick, thorough, or K/N with K from 0 to N - 1; not \(value)")
    }
  }

  func includes(_ test: TestName) -> Bool {
    guard modules.isEmpty || modules.contains(test.module) else { return false }
    guard let filter else { return true }
    return test.description.contains(filter)
  }
}
