import LedgerCharts

/// A bar on standard error for long work; nothing for quick work or without a terminal.
struct ProgressBar {
  /// How long work may take before it gets a bar.
  static let timeout = Duration.seconds(1)
  /// The pause between two drawings.
  static let interval = Duration.milliseconds(100)

  private let label: String
  private let total: Int?
  private let isShown: Bool
  private let columns: Int
  private let elapsed: () -> Duration
  private let write: (String) -> Void
  private var drawnAt: Duration?

  /// Makes a bar over a number of steps.
  ///
  /// - Parameters:
  ///   - total: The number of steps; nil if it is unknown, then only the steps done are shown.
  ///   - elapsed: The time since the work began.
  ///   - write: Writes the bar; nil for standard error.
  init(
    _ label: String, total: Int?, terminal: Terminal, elapsed: @escaping () -> Duration = Self.stopwatch(),
    write: ((String) -> Void)? = nil
  ) {
    self.label = label
    self.total = total
    self.isShown = terminal.errorIsTerminal
    self.columns = terminal.width
    self.elapsed = elapsed
    self.write = write ?? { terminal.error($0) }
  }

  /// Reports the number of completed steps; cheap enough for a call after each step.
  mutating func advance(to done: Int) {
    guard isShown else { return }
    let now = elapsed()
    guard now > Self.timeout else { return }
    if let drawnAt, now - drawnAt < Self.interval { return }
    if drawnAt == nil { Interruption.barAppears() }
    drawnAt = now
    write("\r\(line(done))\u{1B}[K")
  }

  /// Takes the bar away; to be called before anything else is written.
  mutating func finish() {
    guard drawnAt != nil else { return }
    drawnAt = nil
    Interruption.barDisappears()
    write("\r\u{1B}[K")
  }

  private func line(_ done: Int) -> String {
    guard let total else { return String("\(label)  \(AmountText.grouped(Int64(done)))".prefix(max(0, columns - 1))) }
    let share = total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1
    let filled = Int(share * 20)
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled)
    let counts = "\(AmountText.grouped(Int64(done))) of \(AmountText.grouped(Int64(total)))"
    // A line that wraps could not be drawn over.
    return String("\(label) [\(bar)] \(Int(share * 100)) %  \(counts)".prefix(max(0, columns - 1)))
  }

  static func stopwatch() -> () -> Duration {
    let start = ContinuousClock.now
    return { ContinuousClock.now - start }
  }
}
