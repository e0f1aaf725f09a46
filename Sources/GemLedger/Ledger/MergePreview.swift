/// The result that a merge of two ids would have.
public struct MergePreview: Hashable, Sendable {
  /// The ids of the customer that would be merged into the other, the original one first.
  ///
  /// If an id names no customer, it is the only id.
  public let from: [CustomerID]
  /// The ids of the surviving customer, the original one first.
  ///
  /// If an id names no customer, it is the only id.
  public let into: [CustomerID]
  /// The balances that move: every currency in which the first customer has a balance, a held amount or a debt.
  public let balances: [Balance]
  /// The items that move.
  public let items: [PostedItem]
}

extension Ledger {
  /// Returns the customers that a merge would join and the amounts that would move, without booking.
  ///
  /// The answer is for the current instant: a purchase or a spend before the merge changes the amounts.
  ///
  /// - Throws: ``LedgerError`` as ``merge(from:into:key:)`` without a key.
  public func previewMerge(from: CustomerID, into: CustomerID) throws(LedgerError) -> MergePreview {
    try MergePreview(.merge(from: from, into: into), from: from, into: into, in: self)
  }
}

extension MergePreview {
  /// The merge that is made only if the first customer has no other ids than anonymous ids.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `customer_not_found` if neither customer exists,
  ///   `same_customer`, `condition_failed`, `over_maximum`.
  package init(
    anonymous from: CustomerID, into: CustomerID, isProven: Bool = true, in ledger: Ledger
  ) throws(LedgerError) {
    try self.init(.mergeAnonymous(from: from, into: into, isProven: isProven), from: from, into: into, in: ledger)
  }

  fileprivate init(
    _ command: LedgerCommand, from: CustomerID, into: CustomerID, in ledger: Ledger
  ) throws(LedgerError) {
    // The same rule decides the preview and the booking.
    _ = try ledger.preview(command)
    self = try ledger.reading { (snapshot, definitions) throws(LedgerError) -> MergePreview in
      let finder = CustomerFinder(snapshot)
      func ids(_ id: CustomerID) throws(LedgerError) -> [CustomerID] {
        guard let found = try snapshot.customer(id), let row = try snapshot.customer(number: found.number) else {
          return [id]
        }
        return try finder.ids(of: row)
      }
      var (balances, items): ([Balance], [PostedItem]) = ([], [])
      if let source = try snapshot.customer(from), let row = try snapshot.customer(number: source.number) {
        balances = try CustomerSummary(of: row, named: from, in: snapshot, of: ledger, definitions: definitions)
          .balances
          .filter { $0.balance != 0 || $0.debt != 0 }
        let owned = try snapshot.rows(OwnedItemRow.ofCustomer, [IndexKey(source.number)])
        items = owned.filter { $0.quantity != 0 }
          .map { PostedItem(item: $0.item, quantity: $0.quantity, owned: $0.quantity) }
      }
      return MergePreview(from: try ids(from), into: try ids(into), balances: balances, items: items)
    }
  }
}
