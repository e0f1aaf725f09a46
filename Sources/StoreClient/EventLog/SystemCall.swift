#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Calls of the system that a signal can interrupt.
package enum SystemCall {
  /// Repeats the call if a signal interrupts it; a negative answer is a failure.
  package static func retrying<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
    while true {
      let answer = call()
      guard answer < 0, errno == EINTR else { return answer }
    }
  }

  /// Lets the thread sleep for about the given time.
  static func pause(_ span: Duration) {
    let microseconds = span.components.seconds * 1_000_000 + span.components.attoseconds / 1_000_000_000_000
    usleep(UInt32(clamping: min(max(microseconds, 0), 999_999)))
  }

  /// Makes the names in a directory durable.
  ///
  /// - Returns: Whether it succeeded; otherwise `errno` has the reason.
  package static func synchronizeDirectory(_ path: String) -> Bool {
    let descriptor = retrying { open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { return false }
    let answer = retrying { fsync(descriptor) }
    let reason = errno
    close(descriptor)
    errno = reason
    // Some file systems cannot synchronize a directory, and need not.
    return answer == 0 || reason == EINVAL
  }
}
