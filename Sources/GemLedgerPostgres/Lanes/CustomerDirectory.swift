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

    private struct State {
      var places: [CustomerID: Place] = [:]
      /// Customers who became part of another while their ids were remembered.
      var merged: [CustomerNumber: CustomerNumber] = [:]

      func place(of id: CustomerID) -> Place? {
        guard var place = places[id] else { return nil }
        while let root = merged[place.root] { place.root = root }
        return place
      }
    }

    private let state = Mutex(State())

    func places(of ids: [CustomerID]) -> [Place?] { state.withLock { state in ids.map { state.place(of: $0) } } }

    func remember(_ found: [(CustomerID, Place)]) {
      guard !found.isEmpty else { return }
      state.withLock { state in
        // Plain and bounded: who is asked for again comes back with the next question.
        if state.places.count + state.merged.count + found.count > Self.sizeMax { state = State() }
        for (id, place) in found { state.places[id] = place }
      }
    }

    func remember(_ merges: [MergeRow]) {
      guard !merges.isEmpty else { return }
      state.withLock { state in
        for row in merges {
          state.merged[row.from] = row.into
          // Whom others become part of is nobody's part, whatever was remembered before.
          state.merged[row.into] = nil
        }
      }
    }

    func forgetAll() { state.withLock { $0 = State() } }

    func forget(_ id: CustomerID) { _ = state.withLock { $0.places.removeValue(forKey: id) } }
  }
#endif
