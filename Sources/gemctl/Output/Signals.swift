import Dispatch
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Turns SIGINT and SIGTERM, which would end the process at once, into a call.
final class Signals: Sendable {
  // Unchecked: only this class uses them, from one thread.
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  init(_ body: @escaping @Sendable () -> Void) {
    sources = [SIGINT, SIGTERM].map { number in
      _ = signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { body() }
      source.activate()
      return source
    }
  }

  func forget() { for source in sources { source.cancel() } }
}

/// Ends the line of a progress bar at Ctrl-C, before the signal ends the process as without a bar.
enum Interruption {
  /// How many bars are drawn.
  private static let barCount = Atomic(0)
  private static let notice: StaticString = "\r\u{1B}[KInterrupted.\n"

  /// Only the first bar of a process installs the handler.
  private static let isInstalled: Bool = {
    // The handler only calls async-signal-safe functions.
    let former = signal(SIGINT) { _ in
      if Interruption.barCount.load(ordering: .relaxed) > 0 {
        _ = write(STDERR_FILENO, Interruption.notice.utf8Start, Interruption.notice.utf8CodeUnitCount)
      }
      _ = signal(SIGINT, SIG_DFL)
      _ = kill(getpid(), SIGINT)
    }
    return former != nil
  }()

  static func barAppears() {
    barCount.add(1, ordering: .relaxed)
    _ = isInstalled
  }

  static func barDisappears() { barCount.subtract(1, ordering: .relaxed) }
}
