internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The importance of a message: closed, so that a `switch` needs no default.
public enum LogLevel: Int, Comparable, Sendable, CaseIterable {
  /// Everything.
  case verbose
  /// Details for a developer.
  case debug
  /// Normal, infrequent events.
  case info
  /// Problems that the app should fix.
  case warn
  /// Failures.
  case error

  /// Orders less important levels first.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Receives messages; called from any thread.
public typealias LogHandler = @Sendable (_ level: LogLevel, _ message: String) -> Void

/// The receiver of a client's messages.
struct ClientLog: Sendable {
  private struct Shared {
    var level = LogLevel.info
    var handler: LogHandler = { level, message in ClientLog.printed(level, message) }
  }

  private static let shared = Mutex(Shared())

  let level: LogLevel?
  let handler: LogHandler?

  static var sharedLevel: LogLevel {
    get { shared.withLock { $0.level } }
    set { shared.withLock { $0.level = newValue } }
  }

  static var sharedHandler: LogHandler {
    get { shared.withLock { $0.handler } }
    set { shared.withLock { $0.handler = newValue } }
  }

  func callAsFunction(_ level: LogLevel, _ message: @autoclosure () -> String) {
    let shared = Self.shared.withLock { $0 }
    guard level >= self.level ?? shared.level else { return }
    (handler ?? shared.handler)(level, message())
  }

  /// Uses standard error, because standard output belongs to the program.
  private static func printed(_ level: LogLevel, _ message: String) {
    var line = "[StoreClient] \(level): \(message)\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
