#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Writes bytes to a file descriptor, all of them.
enum ByteWriter {
  enum Outcome: Hashable, Sendable {
    case done
    /// The reader has closed the output.
    case closed
    /// The system's error number.
    case failed(Int32)
  }

  static func write(_ text: String, to descriptor: Int32) -> Outcome {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  /// Makes `write` fail for a closed pipe and for a file at its size limit.
  ///
  /// Otherwise a signal would end the process in the middle of its work.
  static func ignoreSignals() {
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
  }

  /// The system's text for an error number, such as `No space left on device`.
  static func name(of number: Int32) -> String { String(cString: strerror(number)) }

  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Outcome {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitUntilWritable(descriptor)
      case EPIPE: return .closed
      case let number: return .failed(number)
      }
    }
    return .done
  }

  /// Makes the written bytes durable, and tries again after a signal.
  ///
  /// - Returns: False on an error; `errno` has the reason.
  static func sync(_ descriptor: Int32) -> Bool {
    while fsync(descriptor) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }

  // A terminal or pipe that another process set to non-blocking is full for the moment.
  private static func waitUntilWritable(_ descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, -1)
  }
}

/// The C function; inside ``ByteWriter`` its name is a method.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
