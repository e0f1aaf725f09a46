#if Server
import Dispatch
import Synchronization

/// A loopback server of a store's API, whose answers can be held back.
final class FakeServer: Sendable {
  private let server = Mutex<LoopbackServer?>(nil)
  private let gate = DispatchSemaphore(value: 0)
  private let isHeldBack = Mutex(false)

  /// Listens from now on.
  func begin(_ answer: @escaping @Sendable (LoopbackServer.Request) -> String?) throws {
    let server = try LoopbackServer { [self] request in
      if isHeldBack.withLock({ $0 }) { gate.wait() }
      return answer(request)
    }
    self.server.withLock { $0 = server }
  }

  /// Holds answers back until ``release()``.
  func holdBack() { isHeldBack.withLock { $0 = true } }

  func release() {
    isHeldBack.withLock { $0 = false }
    for _ in 0..<20 { gate.signal() }
  }

  func stop() {
    release()
    server.withLock { $0 }?.stop()
  }

  var url: String { "http://127.0.0.1:\(server.withLock { $0?.port ?? 0 })" }
  var requests: [LoopbackServer.Request] { server.withLock { $0?.requests ?? [] } }
}

/// A store's API on a ``FakeServer``.
protocol FakeStore {
  var web: FakeServer { get }
}

extension FakeStore {
  var url: String { web.url }
  var requests: [LoopbackServer.Request] { web.requests }
  func stop() { web.stop() }
}
#endif
