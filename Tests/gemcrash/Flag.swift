internal import Synchronization

/// A flag that several tasks share.
final class Flag: Sendable {
  private let value = Mutex(false)

  func set() { value.withLock { $0 = true } }

  /// Gives the flag and clears it.
  func take() -> Bool {
    value.withLock { value in
      defer { value = false }
      return value
    }
  }
}
