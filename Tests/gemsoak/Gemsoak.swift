import Foundation
import GemLedger
import StoreSimulation

#if Receipts
import StoreReceipts
#endif

/// Plays random events and faults on apps, stores, backend and ledger, in memory, and verifies the books.
///
///     gemsoak [--seed N] [--events N]
///
/// The same seed gives the same events. It exits with 6 if an invariant breaks, and prints the seed and the shortest
/// number of events that breaks it.
@main
struct Gemsoak {
  static let usage = """
    Usage: gemsoak [--seed N] [--events N]

    Play random events and faults on apps, stores, backend and ledger, and verify the books.

      --seed N    Seed of the events (default: random)
      --events N  Number of events (default: 10000)

    Exits with 6 if an invariant breaks.
    Example: swift run -c release gemsoak --seed 7 --events 100000
    """
  private static let booksWrongStatus: Int32 = 6
  private static let usageStatus: Int32 = 64

  static func main() async {
    let (text, status) = await run(Array(CommandLine.arguments.dropFirst())) { done, count in
      if done % max(1, count / 10) == 0 { FileHandle.standardError.write(Data("\(done) of \(count) events\n".utf8)) }
    }
    print(text)
    exit(status)
  }

  /// Returns the text to print and the exit status.
  static func run(
    _ arguments: [String], onProgress: @escaping @Sendable (_ done: Int, _ count: Int) -> Void = { _, _ in }
  ) async -> (text: String, status: Int32) {
    if ["--help", "-h"].contains(arguments.first) { return (usage, 0) }
    guard let settings = settings(arguments) else { return (usage, usageStatus) }
    var simulation = Simulation(settings)
    #if Receipts
    simulation.makeReceipts = SignedReceipts.withNewKeys
    #endif
    do throws(LedgerError) {
      let report = try await simulation.run { onProgress($0, settings.eventCount) }
      return (text(report), report.failure == nil ? 0 : booksWrongStatus)
    } catch {
      return ("error: \(error.message)", 1)
    }
  }

  /// Reads the options; nil if they are not valid.
  private static func settings(_ arguments: [String]) -> Simulation.Settings? {
    var settings = Simulation.Settings(seed: .random(in: 1...999_999_999), eventCount: 10_000)
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard let number = rest.popFirst().flatMap(Int.init) else { return nil }
      switch option {
      case "--seed" where number >= 0: settings.seed = UInt64(number)
      case "--events" where (1...100_000_000).contains(number): settings.eventCount = number
      default: return nil
      }
    }
    return settings
  }

  static func text(_ report: SimulationReport) -> String {
    let days = report.virtualTime.components.seconds / 86_400
    var counts = report.events.map { ("event \($0.name)", $0.count) }
    counts += report.faults.map { ("fault \($0.name)", $0.count) }
    counts += [
      ("process deaths", report.deaths), ("paid", report.paid), ("renewals", report.renewals),
      ("credited", report.credits), ("credited to poster", report.creditsWithoutToken), ("refunded", report.refunds),
      ("replayed", report.replays), ("dead lettered", report.deadLetters), ("customers", report.customers),
      ("transactions", Int(report.transactions)), ("checks", report.checks), ("days", Int(days)),
    ]
    let width = counts.map(\.0.count).max() ?? 0
    let lines = counts.map { name, count in name + String(repeating: " ", count: width + 2 - name.count) + "\(count)" }
    return (lines + [verdict(report)]).joined(separator: "\n")
  }

  private static func verdict(_ report: SimulationReport) -> String {
    guard let failure = report.failure else {
      return "Each paid purchase is credited once: seed \(report.seed), \(report.eventCount) events"
    }
    let repeating = "gemsoak --seed \(failure.seed) --events \(failure.prefix)"
    let problems = failure.problems.map { "  \($0)" } + ["Last events:"] + failure.lastEvents.map { "  \($0)" }
    return (["An invariant broke. Repeat with: \(repeating)"] + problems).joined(separator: "\n")
  }
}
