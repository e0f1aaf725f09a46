#if PostgreSQL
  internal import GemLedger
  internal import Synchronization

  /// Which customer an id named when it was last asked, and whom a transaction was booked for: a memory that may be out
  /// of date, and never decides anything.
  ///
  /// Whoever acts on it finds out inside the group, by the customer's own row, whether it still holds.
  final class CustomerDirectory: Sendable {
    struct Place: Hashable, Sendable {
      /// The customer whom the id named before merges.
      var origin: CustomerNumber
      /// The customer whom it names now.
      var root: CustomerNumber

      /// - Parameter mergedInto: Whom the customer became part of; 0 for nobody.
      init(origin: CustomerNumber, mergedInto: CustomerNumber) {
        self.init(origin: origin, root: mergedInto == 0 ? origin : mergedInto)
      }

      init(origin: CustomerNumber, root: CustomerNumber) {
        self.origin = origin
        self.root = root
      }
    }

    private static let sizeMax = 1 << 18

    private struct State {
      var places: [CustomerID: Place] = [:]
      /// Whom transactions were booked for; that never changes, but who it is now does.
      var transactions: [TransactionNumber: CustomerNumber] = [:]
      /// Customers who became part of another while they were remembered.
      var merged: [CustomerNumber: CustomerNumber] = [:]

      func place(of id: CustomerID) -> Place? { places[id].map(followed) }

      func place(of transaction: TransactionNumber) -> Place? {
        transactions[transaction].map { followed(Place(origin: $0, root: $0)) }
      }

      private func followed(_ place: Place) -> Place {
        var place = place
        while let root = merged[place.root] { place.root = root }
        return place
      }

      /// Plain and bounded: who is asked for again comes back with the next question.
      mutating func makeRoom(_ count: Int) {
        if places.count + transactions.count + merged.count + count > CustomerDirectory.sizeMax { self = State() }
      }
    }

    private let state = Mutex(State())

    func places(of ids: [CustomerID]) -> [Place?] { state.withLock { state in ids.map { state.place(of: $0) } } }

    func remember(_ found: [(CustomerID, Place)]) {
      guard !found.isEmpty else { return }
      state.withLock { state in
        state.makeRoom(found.count)
        for (id, place) in found { state.places[id] = place }
      }
    }

    func places(of transactions: [TransactionNumber]) -> [Place?] {
      state.withLock { state in transactions.map { state.place(of: $0) } }
    }

    func remember(_ found: [(TransactionNumber, Place)]) {
      guard !found.isEmpty else { return }
      state.withLock { state in
        state.makeRoom(2 * found.count)
        for (transaction, place) in found {
          state.transactions[transaction] = place.origin
          if place.root != place.origin { state.merged[place.origin] = place.root }
        }
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
