internal import Synchronization

/// Collects the arguments of closures.
package final class Collector<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  package init() {}

  package var all: [Element] { elements.withLock { $0 } }
  package func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// Waits until something that other tasks do has happened.
///
/// It mostly has after some yields. Where the machine has no time for the other tasks, they get a minute of it.
package func until(_ isTrue: () async throws -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(60)
  for turn in 0... {
    if try await isTrue() { return }
    guard ContinuousClock.now < end else { break }
    if turn < 1000 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(1)) }
  }
  throw NeverHappened()
}

package struct NeverHappened: Error {}
