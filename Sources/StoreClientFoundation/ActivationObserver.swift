internal import Synchronization

/// Calls `StoreClient.appDidBecomeActive()` each time the app comes to the foreground.
///
/// The shared client has an observer already. Another client is observed as long as the app retains an observer for it.
public final class ActivationObserver: Sendable {
  private static let shared = Mutex<ActivationObserver?>(nil)

  private let stop: @Sendable () -> Void

  /// Observes notifications for a client, which it does not retain.
  ///
  /// - Parameters:
  ///   - client: The client to call.
  ///   - center: Posts the notifications.
  ///   - name: The notification; nil for the platform's, which Linux and watchOS lack.
  public init(
    _ client: StoreClient, center: NotificationCenter = .default, name: Notification.Name? = standardName
  ) {
    guard let name else {
      stop = {}
      return
    }
    let observation = Observation(
      center: center,
      token: center.addObserver(forName: name, object: nil, queue: nil) { [weak client] _ in
        guard let client else { return }
        // The client logs a failure; the next activation requests again.
        Task { _ = try? await client.appDidBecomeActive() }
      })
    stop = { observation.end() }
  }

  deinit { stop() }

  /// The notification of an app that became active, from UIKit or AppKit; nil if the platform has none.
  public static var standardName: Notification.Name? {
    #if os(iOS) || os(tvOS) || os(visionOS)
    Notification.Name("UIApplicationDidBecomeActiveNotification")
    #elseif os(macOS)
    Notification.Name("NSApplicationDidBecomeActiveNotification")
    #else
    nil
    #endif
  }

  static func observeShared(_ client: StoreClient) {
    let observer = ActivationObserver(client)
    shared.withLock { $0 = observer }
  }
}

/// A running observation.
private final class Observation: Sendable {
  private let center: NotificationCenter
  // Only returned to the center, once.
  private nonisolated(unsafe) let token: any NSObjectProtocol

  init(center: NotificationCenter, token: any NSObjectProtocol) {
    self.center = center
    self.token = token
  }

  func end() { center.removeObserver(token) }
}
