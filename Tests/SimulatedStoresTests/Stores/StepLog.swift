import SimulatedStores
import StoreClient
import Synchronization

/// The steps that a store took.
final class StepLog: Sendable {
  private let steps = Mutex<[StoreStep]>([])

  var all: [StoreStep] { steps.withLock { $0 } }

  func add(_ step: StoreStep) { steps.withLock { $0.append(step) } }
}
