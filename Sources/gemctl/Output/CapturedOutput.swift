import Synchronization

/// The captured output of a verb: output and errors in order.
final class CapturedOutput: Sendable {
  private let written = Mutex("")

  func append(_ text: String) { written.withLock { $0 += text } }

  var text: String { written.withLock { $0 } }
}
