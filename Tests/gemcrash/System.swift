#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The process's own signals and its output.
enum System {
  /// Kills the process as `kill -9` does: nothing more is written or sent.
  static func killThisProcess() -> Never {
    kill(getpid(), SIGKILL)
    while true { pause() }
  }

  /// Lets the system end the process after so many seconds, so that a test never waits for a hanging process.
  static func end(afterSeconds seconds: UInt32) { alarm(seconds) }

  /// Ends without waiting for anything that still goes on.
  static func end() -> Never { _exit(0) }

  static func say(_ text: String) { write(text, to: STDOUT_FILENO) }

  static func fail(_ message: String) -> Never {
    write(message + "\n", to: STDERR_FILENO)
    _exit(1)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      #if canImport(Glibc)
      _ = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      #elseif canImport(Musl)
      _ = Musl.write(descriptor, bytes.baseAddress, bytes.count)
      #else
      _ = Darwin.write(descriptor, bytes.baseAddress, bytes.count)
      #endif
    }
  }
}
