/// A customer that an id names, following merges, while a ``LedgerView`` is valid.
public struct KnownCustomer: Hashable, Sendable {
  let found: FoundCustomer

  /// Two ids of one customer name the same customer.
  public static func == (left: Self, right: Self) -> Bool { left.found.number == right.found.number }

  /// Equal customers have equal hashes.
  public func hash(into hasher: inout Hasher) { hasher.combine(found.number) }
}

/// The ids of a customer, without its balances.
public struct CustomerIdentity: Hashable, Sendable {
  /// The original id, with which the customer was created.
  public let originalID: CustomerID
  /// All ids that name the customer, the original one first.
  public let ids: [CustomerID]
  /// When the customer was created.
  public let createdAt: Timestamp
}

/// A merge of another customer into a customer.
package struct MergedID: Hashable, Sendable {
  /// The other customer's original id.
  package let id: CustomerID
  package let transaction: TransactionID
  package let mergedAt: Timestamp
  /// False after a login with a public key alone: apps contain that key, so it proves nothing.
  package let isProven: Bool
}

extension LedgerView {
  /// Customers by id and by account token.
  public struct Customers {
    let snapshot: any StorageSnapshot

    /// Finds the customer with the id; nil if there is none.
    public func find(_ id: CustomerID) throws(LedgerError) -> KnownCustomer? {
      try snapshot.customer(id).map(KnownCustomer.init)
    }

    /// Returns the customer with the id.
    ///
    /// - Throws: ``LedgerError`` with `customer_not_found`.
    public func customer(_ id: CustomerID) throws(LedgerError) -> KnownCustomer {
      guard let found = try find(id) else { throw .customerNotFound(id) }
      return found
    }

    /// Returns the ids of the customer; nil after an erasure of the customer's row.
    public func identity(of customer: KnownCustomer) throws(LedgerError) -> CustomerIdentity? {
      guard let row = try snapshot.customer(number: customer.found.number) else { return nil }
      return CustomerIdentity(
        originalID: row.id, ids: try CustomerFinder(snapshot).ids(of: row), createdAt: row.createdAt)
    }

    /// Returns the customers that are merged into the customer, newest merge first.
    package func merged(into customer: KnownCustomer) throws(LedgerError) -> [MergedID] {
      let ids = TransactionIDMaker(salt: try snapshot.project().salt)
      var newest: [CustomerNumber: (row: TransactionRow, merged: MergedID)] = [:]
      for number in try CustomerFinder(snapshot).numbers(of: customer.found) {
        for merge in try snapshot.rows(MergeRow.into, [IndexKey(number)]) {
          guard let row = try snapshot.transaction(merge.transaction), row.kind == .merge,
            let other = try snapshot.customer(number: merge.from), other.mergedInto != 0
          else { continue }
          let events = try snapshot.rows(
            JournalEventRow.ofTransaction, [IndexKey(merge.transaction, of: merge.from)])
          newest[merge.from] = (
            row,
            MergedID(
              id: other.id, transaction: ids.id(number: row.number, createdAt: row.createdAt), mergedAt: row.createdAt,
              isProven: !events.contains { $0.kind == .unproven })
          )
        }
      }
      return newest.values.sorted { $1.row.number < $0.row.number }.map(\.merged)
    }

    /// Returns the items that the customer owns, in the order of their ids.
    package func items(of customer: KnownCustomer) throws(LedgerError) -> [(item: ItemID, owned: Int64)] {
      try snapshot.rows(OwnedItemRow.ofCustomer, [IndexKey(customer.found.number)]).filter { $0.quantity > 0 }
        .map { ($0.item, $0.quantity) }
    }

    /// Returns the outcome of the customer's request under a key; nil if the key was not used.
    ///
    /// A refusal is known only if the key keeps it.
    package func outcome(
      under key: IdempotencyKey, of customer: KnownCustomer
    ) throws(LedgerError) -> Result<TransactionID, LedgerError>? {
      let ids = TransactionIDMaker(salt: try snapshot.project().salt)
      // After a merge the keys of both ids stay known.
      for number in try CustomerFinder(snapshot).numbers(of: customer.found) {
        guard let row = try snapshot.row(KeyRow.byKey, IndexKey(number, text: key.text)) else { continue }
        switch row.outcome {
        case .refused(let kept): return .failure(kept.error)
        case .booked(let transaction):
          guard let booked = try snapshot.transaction(transaction) else { continue }
          return .success(ids.id(number: booked.number, createdAt: booked.createdAt))
        }
      }
      return nil
    }

    /// Whether a customer is registered under the token.
    package func isRegistered(_ token: TokenNumber) throws(LedgerError) -> Bool {
      try snapshot.customer(token: token) != nil
    }

    /// Returns the id of the customer that a purchase's token names.
    ///
    /// An erasure frees the id from which a token is made. A later purchase under the id does not belong to the erased
    /// customer.
    ///
    /// - Parameters:
    ///   - token: The number inside the account token.
    ///   - instant: When the purchase was made.
    ///   - asked: The id to return if it names the same customer, so that callers recognise their id.
    package func buyer(
      _ token: TokenNumber, at instant: Timestamp, asNamedBy asked: CustomerID? = nil
    ) throws(LedgerError) -> CustomerID? {
      guard let number = try snapshot.customer(token: token) else { return nil }
      let row = try CustomerFinder(snapshot).survivor(of: number)
      if row.id.isOfErased, let erasedAt = try erasure(of: row.number), instant > erasedAt { return nil }
      return try CustomerFinder(snapshot).id(of: row, asNamedBy: asked)
    }

    private func erasure(of number: CustomerNumber) throws(LedgerError) -> Timestamp? {
      var below = TransactionNumber.max
      while true {
        let page = try snapshot.transactionsWithoutEntries(of: number, below: below, limit: 100)
        for number in page {
          if let row = try snapshot.transaction(number), row.kind == .erase { return row.createdAt }
        }
        guard let last = page.last, page.count == 100, last < below else { return nil }
        below = last
      }
    }
  }
}
