package import GemLedger
package import StoreBackend
package import StoreClient
internal import Synchronization

/// The lifetime of one app process, which can be ended between any two effects on the outside world.
///
/// After the end, every call of the remaining code fails without an effect. As after a kill, only durable effects and
/// effects that reached the store or the backend remain.
package final class ProcessLifetime: Sendable {
  private struct State {
    /// The number of crossings left; nil for no end.
    var left: Int?
    var isDead = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Ends the lifetime at the crossing with this number, from 1.
  ///
  /// Each call to the outside has one crossing before its effect and one after it.
  package func end(atCrossing number: Int) { state.withLock { $0.left = max(1, number) } }

  /// Removes the planned end from a process that has survived.
  package func spare() { state.withLock { $0.left = nil } }

  package var isDead: Bool { state.withLock { $0.isDead } }

  /// Crosses the border between the process and the outside world.
  ///
  /// - Returns: Whether the process is alive.
  package func cross() -> Bool {
    state.withLock { state in
      guard !state.isDead else { return false }
      guard let left = state.left else { return true }
      state.left = left - 1
      state.isDead = left == 1
      return !state.isDead
    }
  }
}

/// A backend as a crashing process sees it.
package struct CrashingBackend: BackendDecorator {
  package let decorated: any PurchaseBackend
  private let life: ProcessLifetime

  package init(_ decorated: any PurchaseBackend, life: ProcessLifetime) {
    self.decorated = decorated
    self.life = life
  }

  package func intercept<Answer: Sendable>(
    _ call: BackendCall, _ body: () async throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer {
    guard life.cross() else { throw Self.dead }
    let answer = try await body()
    guard life.cross() else { throw Self.dead }
    return answer
  }

  private static let dead = LedgerError(.backendUnreachable, "The process has ended.")
}

/// A shop as a crashing process sees it.
package struct CrashingStorefront: StorefrontDecorator {
  package let decorated: any Storefront
  private let life: ProcessLifetime

  package init(_ decorated: any Storefront, life: ProcessLifetime) {
    self.decorated = decorated
    self.life = life
  }

  package func intercept<Answer: Sendable>(
    _ body: () async throws(StoreFailure) -> Answer
  ) async throws(StoreFailure) -> Answer {
    guard life.cross() else { throw .networkError }
    let answer = try await body()
    guard life.cross() else { throw .networkError }
    return answer
  }
}

/// An event log as a crashing process sees it; its records outlive the process.
package struct CrashingEventLog: EventLog {
  private let inner: any EventLog
  private let life: ProcessLifetime

  package init(_ inner: any EventLog, life: ProcessLifetime) {
    self.inner = inner
    self.life = life
  }

  package func records() throws(LedgerError) -> [String] { try inner.records() }

  package func append(_ records: [String]) throws(LedgerError) {
    guard life.cross() else { throw Self.dead }
    try inner.append(records)
    guard life.cross() else { throw Self.dead }
  }

  package func compact(to records: [String]) throws(LedgerError) {
    guard life.cross() else { throw Self.dead }
    try inner.compact(to: records)
    guard life.cross() else { throw Self.dead }
  }

  private static let dead = LedgerError(.inputOutput, "The process has ended.")
}
