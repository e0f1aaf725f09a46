package import GemLedger
package import StoreBackend
package import StoreClient
internal import Synchronization

/// The lifetime of one process of an app: it can be told to end between any two effects on the world outside.
///
/// The remaining code of a dead process sees every call fail and reaches nothing. So nothing is left of it but effects
/// that were durable or had reached the store and the backend: the same as after a kill.
package final class ProcessLifetime: Sendable {
  private struct State {
    /// How many crossings are left; nil for no end.
    var left: Int?
    var isDead = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Ends the life at the crossing with this number, from 1; each call to the outside has one before its effect and
  /// one after it.
  package func end(atCrossing number: Int) { state.withLock { $0.left = max(1, number) } }

  /// Lets a process that has survived go on.
  package func spare() { state.withLock { $0.left = nil } }

  package var isDead: Bool { state.withLock { $0.isDead } }

  /// Crosses the border between the process and the world.
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
