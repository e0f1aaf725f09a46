/// Long work in stages, each with a bar.
struct StagedBar {
  private let terminal: Terminal
  private let elapsed: (() -> Duration)?
  private let write: ((String) -> Void)?
  private var label: String?
  private var bar: ProgressBar?

  /// - Parameters:
  ///   - elapsed: The time since the work began; nil to measure each stage.
  ///   - write: Writes the bars; nil for standard error.
  init(_ terminal: Terminal, elapsed: (() -> Duration)? = nil, write: ((String) -> Void)? = nil) {
    self.terminal = terminal
    self.elapsed = elapsed
    self.write = write
  }

  mutating func show(_ label: String, _ done: Int64, of total: Int64) {
    if self.label != label {
      finish()
      self.label = label
      bar = ProgressBar(
        label, total: Int(clamping: total), terminal: terminal, elapsed: elapsed ?? ProgressBar.stopwatch(),
        write: write)
    }
    bar?.advance(to: Int(clamping: done))
  }

  mutating func finish() {
    bar?.finish()
    bar = nil
  }
}
