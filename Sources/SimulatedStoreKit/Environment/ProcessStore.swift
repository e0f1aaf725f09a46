internal import GemLedger
internal import SimulatedStores
internal import Synchronization

/// The App Store of this process, used by StoreKit's static calls: the device of the latest test session.
enum ProcessStore {
  private struct State {
    var current: AttachedDevice?
    var waiters: [AsyncStream<AttachedDevice>.Continuation] = []
  }

  private static let state = Mutex(State())

  /// The device; nil without a test session.
  static var current: AttachedDevice? { state.withLock(\.current) }

  /// Makes the device the App Store of this process, and ends the app on the one before.
  static func attach(_ device: AttachedDevice) {
    let (previous, waiters) = state.withLock { state in
      let previous = state.current
      state.current = device
      defer { state.waiters = [] }
      return (previous, state.waiters)
    }
    previous?.end()
    for waiter in waiters {
      waiter.yield(device)
      waiter.finish()
    }
  }

  /// Removes the App Store of the process if it is this device.
  static func detach(_ device: AttachedDevice) {
    let isCurrent = state.withLock { state in
      guard state.current === device else { return false }
      state.current = nil
      return true
    }
    if isCurrent { device.end() }
  }

  /// Returns the device.
  ///
  /// - Throws: `StoreKitError.systemError` without a test session.
  static func required() throws -> AttachedDevice {
    guard let current else { throw StoreKitError.systemError(MissingTestSession()) }
    return current
  }

  /// Returns the device as soon as there is one; nil when the task is cancelled before.
  static func next() async -> AttachedDevice? {
    let (stream, continuation) = AsyncStream.makeStream(of: AttachedDevice.self)
    let current = state.withLock { state in
      if state.current == nil { state.waiters.append(continuation) }
      return state.current
    }
    if let current { return current }
    return await stream.nextElement()
  }
}

extension AsyncStream where Element: Sendable {
  /// Returns the next element; every iterator of a stream continues after the last iterator's element.
  func nextElement() async -> Element? {
    var iterator = makeAsyncIterator()
    return await iterator.next()
  }
}

/// The error of a call in a process without an App Store.
struct MissingTestSession: Error, CustomStringConvertible, LocalizedError {
  var description: String {
    "This process has no App Store: make an SKTestSession(contentsOf:) or SKTestSession(device:) first, and keep it."
  }

  var errorDescription: String? { description }
}
