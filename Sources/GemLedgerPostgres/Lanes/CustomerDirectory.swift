#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// Which customer an id named when it was last asked: a memory that may be out of date, and never decides anything.
///
/// Whoever acts on it finds out inside the group, by the customer's own row, whether it still holds.
///
/// And transactions and credited purchases that somebody is likely to come back to: those never change, though whose
/// they are now does.
final class CustomerDirectory: Sendable {
  struct CustomerAddress: Hashable, Sendable {
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

  struct LocatedTransaction {
    let row: TransactionRow
    let address: CustomerAddress
  }

  private static let sizeMax = 1 << 18

  private struct State {
    /// How often all of it was forgotten.
    var epoch = 0
    var addresses: [CustomerID: CustomerAddress] = [:]
    var transactions: [TransactionNumber: TransactionRow] = [:]
    /// What store transactions were credited as.
    var credits: [PurchaseIdentity: Prefetched.StoreClaim] = [:]
    /// Customers who became part of another while they were remembered.
    var merged: [CustomerNumber: CustomerNumber] = [:]

    func address(of id: CustomerID) -> CustomerAddress? { addresses[id].map(followed) }

    func located(_ transaction: TransactionNumber) -> LocatedTransaction? {
      transactions[transaction].map { row in
        LocatedTransaction(row: row, address: followed(CustomerAddress(origin: row.customer, root: row.customer)))
      }
    }

    private func followed(_ address: CustomerAddress) -> CustomerAddress {
      var address = address
      while let root = merged[address.root] { address.root = root }
      return address
    }

    /// Plain and bounded: who is asked for again comes back with the next question.
    mutating func makeRoom(_ count: Int) {
      let size = addresses.count + transactions.count + credits.count + merged.count
      if size + count > CustomerDirectory.sizeMax { self = State(epoch: epoch) }
    }
  }

  private let state = Mutex(State())

  func addresses(of ids: [CustomerID]) -> [CustomerAddress?] {
    state.withLock { state in ids.map { state.address(of: $0) } }
  }

  func remember(_ found: [(CustomerID, CustomerAddress)]) {
    guard !found.isEmpty else { return }
    state.withLock { state in
      state.makeRoom(found.count)
      for (id, address) in found { state.addresses[id] = address }
    }
  }

  /// What is never looked at again is remembered only by who began to read it in this epoch: it may be what a server
  /// said that another took the place of.
  var epoch: Int { state.withLock { $0.epoch } }

  func located(_ transactions: [TransactionNumber]) -> [LocatedTransaction?] {
    state.withLock { state in transactions.map { state.located($0) } }
  }

  func remember(_ found: [LocatedTransaction], since epoch: Int) {
    guard !found.isEmpty else { return }
    state.withLock { state in
      guard state.epoch == epoch else { return }
      state.makeRoom(2 * found.count)
      for found in found {
        state.transactions[found.row.number] = found.row
        let address = found.address
        if address.root != address.origin { state.merged[address.origin] = address.root }
      }
    }
  }

  func credits(_ identities: [PurchaseIdentity]) -> [Prefetched.StoreClaim?] {
    state.withLock { state in identities.map { state.credits[$0] } }
  }

  func remember(_ found: [(PurchaseIdentity, Prefetched.StoreClaim)], since epoch: Int) {
    guard !found.isEmpty else { return }
    state.withLock { state in
      guard state.epoch == epoch else { return }
      state.makeRoom(found.count)
      for (identity, credit) in found { state.credits[identity] = credit }
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

  func forgetAll() { state.withLock { $0 = State(epoch: $0.epoch + 1) } }

  func forget(_ id: CustomerID) { _ = state.withLock { $0.addresses.removeValue(forKey: id) } }
}
#endif
