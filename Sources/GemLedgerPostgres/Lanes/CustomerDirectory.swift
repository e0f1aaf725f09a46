#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// A cache of the customer that each id named at the last look-up; it may be out of date, and never decides anything.
///
/// A group that relies on it checks the customer's own row.
///
/// It also keeps transactions and credited purchases that commands are likely to ask for again. Those never change,
/// though their current customer does.
final class CustomerDirectory: Sendable {
  struct CustomerAddress: Hashable, Sendable {
    /// The original customer: the one that the id named before merges.
    var original: CustomerNumber
    /// The surviving customer: the one that the id names now.
    var survivingCustomer: CustomerNumber

    /// - Parameter mergedInto: The surviving customer of a merge; 0 for none.
    init(original: CustomerNumber, mergedInto: CustomerNumber) {
      self.init(original: original, survivingCustomer: mergedInto == 0 ? original : mergedInto)
    }

    init(original: CustomerNumber, survivingCustomer: CustomerNumber) {
      self.original = original
      self.survivingCustomer = survivingCustomer
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
    /// The customer and purchase that store transactions were credited to.
    var credits: [PurchaseIdentity: Prefetched.StoreClaim] = [:]
    /// Customers that were merged into another while they were remembered.
    var merged: [CustomerNumber: CustomerNumber] = [:]

    func address(of id: CustomerID) -> CustomerAddress? { addresses[id].map(followed) }

    func located(_ transaction: TransactionNumber) -> LocatedTransaction? {
      transactions[transaction].map { row in
        LocatedTransaction(
          row: row, address: followed(CustomerAddress(original: row.customer, survivingCustomer: row.customer)))
      }
    }

    private func followed(_ address: CustomerAddress) -> CustomerAddress {
      var address = address
      while let survivingCustomer = merged[address.survivingCustomer] { address.survivingCustomer = survivingCustomer }
      return address
    }

    /// Simple and bounded: a forgotten customer is looked up again with the next question.
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

  /// The number of the current epoch.
  ///
  /// Rows that are never checked again are remembered only if their read began in this epoch. Rows of an earlier epoch
  /// may come from a server that was replaced since.
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
        if address.survivingCustomer != address.original { state.merged[address.original] = address.survivingCustomer }
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

  /// Remembers an id's or a transaction's customer as the customer's own row has it: another process may have undone
  /// its merge.
  func correct(_ id: CustomerID?, to address: CustomerAddress) {
    state.withLock { state in
      if let id { state.addresses[id] = address }
      state.merged[address.original] = address.survivingCustomer == address.original ? nil : address.survivingCustomer
    }
  }

  /// - Parameter customers: All that the group's merges and unmerges concern.
  func remember(mergesOf customers: [CustomerRow]) {
    state.withLock { state in
      for row in customers {
        // A surviving customer is not merged into another, even if an earlier entry says so.
        state.merged[row.number] = row.mergedInto == 0 ? nil : row.mergedInto
      }
      // An unmerge leaves none of the addresses with the former survivor; few groups have one.
      let apart = Set(customers.filter { $0.mergedInto == 0 }.map(\.number))
      let moved = Dictionary(
        customers.filter { $0.mergedInto != 0 }.map { ($0.number, $0.mergedInto) }, uniquingKeysWith: { $1 })
      for (id, address) in state.addresses where address.survivingCustomer != address.original {
        if apart.contains(address.original) {
          state.addresses[id]?.survivingCustomer = address.original
        } else if let survivor = moved[address.original] {
          state.addresses[id]?.survivingCustomer = survivor
        }
      }
    }
  }

  func forgetAll() { state.withLock { $0 = State(epoch: $0.epoch + 1) } }

  func forget(_ id: CustomerID) { _ = state.withLock { $0.addresses.removeValue(forKey: id) } }
}
#endif
