import Dispatch
import Synchronization

/// Lines of a log, written many at a time, a moment after the first of them.
final class BufferedLog: Sendable {
  private static let delay = DispatchTimeInterval.milliseconds(50)

  private let lines = Mutex<(text: String, isScheduled: Bool)>(("", false))
  private let queue = DispatchQueue(label: "gemctl.log")
  private let output: @Sendable (String) -> Void

  /// - Parameter output: Writes the bytes; called from one thread at a time.
  init(_ output: @escaping @Sendable (String) -> Void) { self.output = output }

  func write(_ line: String) {
    let isFirst = lines.withLock { lines in
      lines.text += line
      defer { lines.isScheduled = true }
      return !lines.isScheduled
    }
    if isFirst { queue.asyncAfter(deadline: .now() + Self.delay) { self.writeOut() } }
  }

  /// Writes the rest of the buffer.
  func flush() { queue.sync { writeOut() } }

  private func writeOut() {
    let text = lines.withLock { lines in
      defer { lines = ("", false) }
      return lines.text
    }
    if !text.isEmpty { output(text) }
  }
}
