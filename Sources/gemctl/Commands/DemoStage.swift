import GemLedger

/// The context of a running demo script: its variables, its time, and the printed ids.
struct DemoStage {
  let environment: [String: String]
  /// The paths of the script's files, by their names.
  private let paths: [String: String]
  private var ids: [String: String] = [:]
  private var aheadMilliseconds: Int64 = 0

  init(environment: [String: String], paths: [String: String]) {
    self.environment = environment
    self.paths = paths
  }

  /// The machine's clock, ahead by the days that have passed.
  var clock: LedgerClock {
    let ahead = aheadMilliseconds
    return LedgerClock { Timestamp(milliseconds: LedgerClock.system.now().milliseconds + ahead) }
  }

  mutating func passDays(_ count: Int64) { aheadMilliseconds += count * Self.day }

  /// The step's line with ids and times instead of their names.
  func line(of step: DemoScript.Step) -> String {
    var line = step.line
    for (name, id) in ids { line = line.replacing("{\(name)}", with: id) }
    let tomorrow = Timestamp(milliseconds: clock.now().milliseconds + Self.day)
    return line.replacing("{tomorrow}", with: tomorrow.description)
  }

  /// The words after the program's name, files by their paths.
  func words(of line: String) -> [String] {
    line.split(separator: " ").dropFirst().map { paths[String($0)] ?? String($0) }
  }

  /// Keeps the ids that were printed.
  mutating func remember(_ output: String) {
    for line in Self.plain(output).split(separator: "\n") {
      guard let name = Self.names.first(where: { line.hasPrefix("\($0) ") }) else { continue }
      ids[name] = line.split(separator: " ").last.map(String.init)
    }
  }

  private static let names = ["store transaction", "transaction", "hold"]
  private static let day: Int64 = 86_400_000

  /// The text without its colour codes.
  private static func plain(_ text: String) -> String {
    let parts = text.split(separator: "\u{1B}", omittingEmptySubsequences: false)
    return parts.prefix(1).joined() + parts.dropFirst().map { $0.drop { $0 != "m" }.dropFirst() }.joined()
  }
}
