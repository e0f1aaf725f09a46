#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// A cache of the customers that ids named at the last look-up; it may be outdated and is only a hint.
///
/// A group that uses it checks the customer's row.
///
/// It also keeps transactions and credited purchases that later commands probably use. These never change, but their
/// current customer does.
final class CustomerDirectory: Sendable {
  struct CustomerAddress: Hashable, Sendable {
    /// The original customer: the customer that the id named before merges.
    var original: CustomerNumber
    /// The surviving customer: the customer that the id names now.
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
    /// The number of times that the cache was cleared.
    var epoch = 0
    /// The original customer of each id.
    var originals: [CustomerID: CustomerNumber] = [:]
    var transactions: [TransactionNumber: TransactionRow] = [:]
    /// The customer and purchase that store transactions were credited to.
    var credits: [PurchaseIdentity: GroupRows.StoreClaim] = [:]
    /// Customers that were merged into another while they were in the cache.
    var merged: [CustomerNumber: CustomerNumber] = [:]

    func address(of id: CustomerID) -> CustomerAddress? { originals[id].map(address) }

    func located(_ transaction: TransactionNumber) -> LocatedTransaction? {
      transactions[transaction].map { LocatedTransaction(row: $0, address: address(of: $0.customer)) }
    }

    private func address(of original: CustomerNumber) -> CustomerAddress {
      var survivingCustomer = original
      while let next = merged[survivingCustomer] { survivingCustomer = next }
      return CustomerAddress(original: original, survivingCustomer: survivingCustomer)
    }

    /// Records the merge state in a customer's row.
    ///
    /// A surviving customer is part of no other, even if an older entry differs: merges that were undone and repeated
    /// in the other direction would form a cycle.
    mutating func follow(_ address: CustomerAddress) {
      merged[address.survivingCustomer] = nil
      if address.survivingCustomer != address.original { merged[address.original] = address.survivingCustomer }
    }

    /// Simple and bounded: a dropped customer is looked up again with the next query.
    mutating func makeRoom(_ count: Int) {
      let size = originals.count + transactions.count + credits.count + merged.count
      if size + count > CustomerDirectory.sizeMax { self = State(epoch: epoch) }
    }
  }

  private let state = Mutex(State())

  func addresses(of ids: [CustomerID]) -> [CustomerAddress?] {
    state.withLock { state in ids.map { state.address(of: $0) } }
  }

  /// Stores ids with their customers, as read from the customers' rows.
  func remember(_ found: [(CustomerID, CustomerAddress)], since epoch: Int) {
    remember(originals: found.map { ($0, $1.original) }, since: epoch)
    update(since: epoch) { state in for (_, address) in found { state.follow(address) } }
  }

  /// Stores ids without reading their customers' rows: known merges are applied.
  func remember(originals found: [(CustomerID, CustomerNumber)], since epoch: Int) {
    guard !found.isEmpty else { return }
    update(since: epoch) { state in
      state.makeRoom(2 * found.count)
      for (id, original) in found { state.originals[id] = original }
    }
  }

  /// The number of the current epoch.
  ///
  /// Rows are stored only if their read started in this epoch. Rows of an earlier epoch may be from a server that was
  /// replaced since, or that has lost them in a crash.
  var epoch: Int { state.withLock { $0.epoch } }

  private func update(since epoch: Int, _ body: (inout State) -> Void) {
    state.withLock { state in if state.epoch == epoch { body(&state) } }
  }

  func located(_ transactions: [TransactionNumber]) -> [LocatedTransaction?] {
    state.withLock { state in transactions.map { state.located($0) } }
  }

  func remember(_ found: [LocatedTransaction], since epoch: Int) {
    guard !found.isEmpty else { return }
    update(since: epoch) { state in
      state.makeRoom(2 * found.count)
      for found in found {
        state.transactions[found.row.number] = found.row
        if found.address.survivingCustomer != found.address.original { state.follow(found.address) }
      }
    }
  }

  func credits(_ identities: [PurchaseIdentity]) -> [GroupRows.StoreClaim?] {
    state.withLock { state in identities.map { state.credits[$0] } }
  }

  func remember(_ found: [(PurchaseIdentity, GroupRows.StoreClaim)], since epoch: Int) {
    guard !found.isEmpty else { return }
    update(since: epoch) { state in
      state.makeRoom(found.count)
      for (identity, credit) in found { state.credits[identity] = credit }
    }
  }

  /// Stores the customer of an id or a transaction as read from the customer's row.
  ///
  /// Another process may have undone its merge.
  func correct(_ id: CustomerID?, to address: CustomerAddress, since epoch: Int) {
    update(since: epoch) { state in
      if let id { state.originals[id] = address.original }
      state.follow(address)
    }
  }

  /// - Parameter customers: All customers in the group's merges and unmerges.
  func remember(mergesOf customers: [CustomerRow], since epoch: Int) {
    update(since: epoch) { state in
      for row in customers {
        state.follow(CustomerAddress(original: row.number, mergedInto: row.mergedInto))
      }
    }
  }

  func forgetAll() { state.withLock { $0 = State(epoch: $0.epoch + 1) } }

  func forget(_ id: CustomerID) { _ = state.withLock { $0.originals.removeValue(forKey: id) } }
}
#endif
