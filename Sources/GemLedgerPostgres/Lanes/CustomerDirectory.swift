#if PostgreSQL
  internal import GemLedger
  internal import Synchronization

  /// Which customer an id named when it was last asked: a memory that may be out of date, and never decides anything.
  ///
  /// Whoever acts on it finds out inside the group, by the customer's own row, whether it still holds.
  final class CustomerDirectory: Sendable {
    struct Place: Hashable, Sendable {
      /// The customer whom the id named before merges.
      var origin: CustomerNumber
      /// The customer whom it names now.
      var root: CustomerNumber
    }

    private static let sizeMax = 1 << 18

    private let places = Mutex<[CustomerID: Place]>([:])

    func place(of id: CustomerID) -> Place? { places.withLock { $0[id] } }

    func places(of ids: [CustomerID]) -> [Place?] { places.withLock { places in ids.map { places[$0] } } }

    func remember(_ found: [(CustomerID, Place)]) {
      guard !found.isEmpty else { return }
      places.withLock { places in
        // Plain and bounded: who is asked for again comes back with the next question.
        if places.count + found.count > Self.sizeMax { places.removeAll(keepingCapacity: true) }
        for (id, place) in found { places[id] = place }
      }
    }

    func forget(_ id: CustomerID) { _ = places.withLock { $0.removeValue(forKey: id) } }

    func forgetAll() { places.withLock { $0.removeAll() } }
  }
#endif
