#if Server
internal import Synchronization

/// Counts the bytes of all bodies in memory, until their requests have ended.
///
/// Senders without a key have a separate bound, so that they cannot use up the memory for senders with a key.
final class BodyMemory: Sendable {
  private let settings: HTTPServerSettings
  private let known = Atomic(0)
  private let unknown = Atomic(0)

  init(_ settings: HTTPServerSettings) { self.settings = settings }

  /// Returns the maximum size of a body, in bytes.
  func byteCountMax(of sender: BodySender) -> Int {
    switch sender {
    case .known: settings.bodyByteCountMax
    case .unknown: min(settings.unknownBodyByteCountMax, settings.bodyByteCountMax)
    }
  }

  /// Counts received bytes; false, and not counted, if there is no room for them.
  func take(_ count: Int, from sender: BodySender) -> Bool {
    let taken = add(count, to: sender)
    guard taken <= limit(of: sender) else {
      release(count, from: sender)
      return false
    }
    return true
  }

  func release(_ count: Int, from sender: BodySender) { _ = add(-count, to: sender) }

  private func limit(of sender: BodySender) -> Int {
    switch sender {
    case .known: settings.bodiesByteCountMax
    case .unknown: settings.unknownBodiesByteCountMax
    }
  }

  private func add(_ count: Int, to sender: BodySender) -> Int {
    switch sender {
    case .known: known.wrappingAdd(count, ordering: .relaxed).newValue
    case .unknown: unknown.wrappingAdd(count, ordering: .relaxed).newValue
    }
  }
}
#endif
