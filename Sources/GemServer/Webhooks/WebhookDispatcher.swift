#if Server
package import GemLedger
internal import Synchronization

/// Delivers the events of a project to its endpoints, independently of each other.
///
/// Every server of a project may run a dispatcher; an endpoint belongs to one process at a time.
package final class WebhookDispatcher: Sendable {
  private let context: WebhookContext
  /// The endpoints that this process is working on.
  private let busy = Mutex<Set<String>>([])

  init(_ context: WebhookContext) { self.context = context }

  /// Gives each endpoint turns until nothing is due.
  ///
  /// - Returns: The failures by endpoint, except if another process holds the endpoint.
  @discardableResult
  package func runOnce() async throws(LedgerError) -> [String: LedgerError] {
    let endpoints = try await endpoints()
    let failures = await concurrently(endpoints, atMost: endpoints.count) { [self] endpoint in
      (endpoint.id, await work(on: endpoint))
    }
    return Dictionary(failures.compactMap { id, error in error.map { (id, $0) } }) { first, _ in first }
  }

  /// Delivers until the task is cancelled, then releases the endpoints for other processes.
  ///
  /// - Parameters:
  ///   - interval: The time between checks for new events; more than zero.
  ///   - clock: Times the interval.
  ///   - onError: Receives errors of the storage; the next check tries again.
  package func run(
    every interval: Duration = .seconds(1), clock: some Clock<Duration> = ContinuousClock(),
    onError: @escaping @Sendable (LedgerError) -> Void = { _ in }
  ) async {
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        do throws(LedgerError) {
          for endpoint in try await endpoints() where busy.withLock({ !$0.contains(endpoint.id) }) {
            group.addTask { [self] in if let error = await work(on: endpoint) { onError(error) } }
          }
        } catch {
          onError(error)
        }
        do { try await clock.sleep(for: interval) } catch { return }
      }
    }
    await release(onError)
  }

  private func endpoints() async throws(LedgerError) -> [WebhookEndpoint] {
    let store = context.store
    return try await BlockingWork.run { () throws(LedgerError) in
      try store.endpoints().filter { $0.state == .active }
    }
  }

  private func work(on endpoint: WebhookEndpoint) async -> LedgerError? {
    guard busy.withLock({ $0.insert(endpoint.id).inserted }) else { return nil }
    defer { _ = busy.withLock { $0.remove(endpoint.id) } }
    do throws(LedgerError) {
      while !Task.isCancelled, var turn = try await WebhookTurn.begin(endpoint, context), try await turn.run() {}
      return nil
    } catch {
      return error.code == .conditionFailed ? nil : error
    }
  }

  private func release(_ onError: (LedgerError) -> Void) async {
    let context = context
    do throws(LedgerError) {
      try await BlockingWork.run { () throws(LedgerError) in
        for endpoint in try context.store.endpoints() {
          guard let kept = try context.store.queue(endpoint.id), kept.queue.lease?.owner == context.owner else {
            continue
          }
          var queue = kept.queue
          queue.lease = nil
          do throws(LedgerError) {
            _ = try context.store.save(queue, of: endpoint.id, replacing: kept.version)
          } catch {
            guard error.code == .conditionFailed else { throw error }
          }
        }
      }
    } catch {
      onError(error)
    }
  }
}
#endif
