internal import Synchronization

/// Collects the arguments of closures.
package final class Collector<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  package init() {}

  package var all: [Element] { elements.withLock { $0 } }
  package func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// Waits, without a clock, until something that other tasks do has happened.
package func until(_ isTrue: () throws -> Bool) async throws {
  for _ in 0..<100_000 {
    if try isTrue() { return }
    await Task.yield()
  }
  throw NeverHappened()
}

package struct NeverHappened: Error {}
