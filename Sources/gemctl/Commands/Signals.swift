import Dispatch

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Turns SIGINT and SIGTERM, which would end the process at once, into a call.
final class Signals: Sendable {
  // Unchecked: only this class, from one thread, touches them.
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
