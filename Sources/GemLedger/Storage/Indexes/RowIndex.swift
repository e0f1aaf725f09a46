/// A way to find rows of one type by a key, in a defined order of the rows of one key.
///
/// ``IndexName`` lists all indexes with their columns.
package struct RowIndex<Row: StoredRow>: Hashable, Sendable {
  package let name: IndexName

  fileprivate init(_ name: IndexName) { self.name = name }
}

/// The values by which an index finds rows, in the order of the index's columns: its numbers, then its text.
package struct IndexKey: Sendable {
  package var first: Int64
  package var second: Int64
  package var third: Int64
  package var text: String
  /// The customer that the row is stored with; nil if the caller cannot know it.
  ///
  /// A storage that keeps the rows of one customer together finds a row by it, and may return or leave out another
  /// customer's row of the same key. Other storages ignore it.
  package var owner: CustomerNumber?

  package init(
    _ first: Int64 = 0, _ second: Int64 = 0, _ third: Int64 = 0, text: String = "", of owner: CustomerNumber? = nil
  ) {
    self.first = first
    self.second = second
    self.third = third
    self.text = text
    self.owner = owner
  }

  package init(_ address: RowAddress) { self.init(address.number, of: address.customer) }

  package init(_ identity: PurchaseIdentity) {
    self.init(identity.environment, identity.store.number, text: identity.transactionID.text)
  }

  package subscript(number index: Int) -> Int64 { index == 0 ? first : index == 1 ? second : third }
}

extension IndexKey: Hashable {
  package static func == (left: Self, right: Self) -> Bool {
    left.first == right.first && left.second == right.second && left.third == right.third && left.owner == right.owner
      && left.text.hasBytes(of: right.text)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(first)
    hasher.combine(second)
    hasher.combine(third)
    hasher.combine(owner)
    if text.isEmpty { return }
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension PurchaseIdentity {
  /// Makes a key from the key of an identity index.
  package init(_ key: IndexKey) {
    self.init(
      store: Store.numbered(key.second) ?? .test, environment: key.first,
      transactionID: StoreTransactionID(unchecked: key.text))
  }
}

extension Array where Element == IndexKey {
  /// Returns the number with each customer that may store the rows; the number alone if there are none.
  package init(_ number: Int64, ofAny owners: [CustomerNumber]) {
    self = owners.isEmpty ? [IndexKey(number)] : owners.map { IndexKey(number, of: $0) }
  }

  /// The keys without their owners, each once, for storages that find rows by key alone.
  package var withoutOwners: [IndexKey] {
    guard count > 1 else { return self }
    var known: Set<IndexKey> = []
    return compactMap { key in
      var key = key
      key.owner = nil
      return known.insert(key).inserted ? key : nil
    }
  }
}

/// A place in the order of an index, by the order's one or two columns.
package struct IndexPlace: Hashable, Comparable, Sendable {
  package var first: Int64
  package var second: Int64

  package init(_ first: Int64, _ second: Int64 = 0) {
    self.first = first
    self.second = second
  }

  package static func < (left: Self, right: Self) -> Bool { (left.first, left.second) < (right.first, right.second) }
}

// MARK: The indexes of each kind of row

extension RowIndex where Row == CustomerRow {
  package static var byNumber: Self { Self(.customerByNumber) }
  package static var inOrder: Self { Self(.customersInOrder) }
}

extension RowIndex where Row == MergedCustomerRow {
  package static var ofSurvivor: Self { Self(.mergedCustomers) }
}

extension RowIndex where Row == AddedIDRow {
  package static var byID: Self { Self(.customerByID) }
  package static var added: Self { Self(.addedIDs) }
}

extension RowIndex where Row == AccountTokenRow {
  package static var byToken: Self { Self(.customerByToken) }
}

extension RowIndex where Row == MergeRow {
  package static var byTransaction: Self { Self(.mergeByTransaction) }
  package static var into: Self { Self(.mergesInto) }
}

extension RowIndex where Row == AccountRow {
  package static var ofCustomer: Self { Self(.accountsOfCustomer) }
}

extension RowIndex where Row == CheckpointRow {
  package static var byVersion: Self { Self(.checkpointByVersion) }
}

extension RowIndex where Row == LotRow {
  package static var byNumber: Self { Self(.lotByNumber) }
  package static var openFree: Self { Self(.openFreeLots) }
  package static var openPaid: Self { Self(.openPaidLots) }
  package static var pooled: Self { Self(.pooledLot) }
}

extension RowIndex where Row == LotAttributesRow {
  package static var byLot: Self { Self(.attributesByLot) }
}

extension RowIndex where Row == TransactionRow {
  package static var byNumber: Self { Self(.transactionByNumber) }
  package static var withoutEntries: Self { Self(.transactionsWithoutEntries) }
  package static var listedWithoutEntries: Self { Self(.transactionWithoutEntries) }
}

extension RowIndex where Row == EntryRow {
  package static var byNumber: Self { Self(.entryByNumber) }
  package static var ofTransaction: Self { Self(.entriesOfTransaction) }
}

extension RowIndex where Row == AllocationRow {
  package static var ofEntry: Self { Self(.allocationsOfEntry) }
}

extension RowIndex where Row == NoteRow {
  package static var ofTransaction: Self { Self(.noteOfTransaction) }
}

extension RowIndex where Row == ItemEntryRow {
  package static var ofTransaction: Self { Self(.itemsOfTransaction) }
}

extension RowIndex where Row == OwnedItemRow {
  package static var byItem: Self { Self(.ownedItem) }
  package static var ofCustomer: Self { Self(.ownedItemsOfCustomer) }
}

extension RowIndex where Row == KeyRow {
  package static var byKey: Self { Self(.keyOfCustomer) }
}

extension RowIndex where Row == JournalEventRow {
  package static var ofTransaction: Self { Self(.eventsOfTransaction) }
  package static var about: Self { Self(.eventsAbout) }
  package static var askedByCustomer: Self { Self(.eventsOfCustomer) }
}

extension RowIndex where Row == HoldRow {
  package static var byNumber: Self { Self(.holdByNumber) }
  package static var ofCustomer: Self { Self(.holdsOfCustomer) }
}

extension RowIndex where Row == CountRow {
  package static var byKey: Self { Self(.countByKey) }
  package static var ofCustomer: Self { Self(.countsOfCustomer) }
}

extension RowIndex where Row == PurchaseRow {
  package static var byIdentity: Self { Self(.purchaseByIdentity) }
  package static var byNumber: Self { Self(.purchaseByNumber) }
  package static var ofCustomer: Self { Self(.purchasesOfCustomer) }
  package static var creditedBy: Self { Self(.purchaseCreditedBy) }
}

extension RowIndex where Row == EntitlementRow {
  package static var byPurchase: Self { Self(.entitlementByPurchase) }
  package static var ofHolder: Self { Self(.entitlementsOfHolder) }
}

extension RowIndex where Row == RefundRow {
  package static var byTransaction: Self { Self(.refundByTransaction) }
  package static var ofPurchase: Self { Self(.refundsOfPurchase) }
}

extension RowIndex where Row == RefundPartRow {
  package static var ofTransaction: Self { Self(.partsOfRefund) }
}

extension RowIndex where Row == EvidenceRow {
  package static var ofPurchase: Self { Self(.evidenceOfPurchase) }
  package static var heldDue: Self { Self(.heldDue) }
  package static var heldOfCustomer: Self { Self(.heldOfCustomer) }
  package static var heldForSubject: Self { Self(.heldForSubject) }
}

extension RowIndex where Row == OrderRow {
  package static var byCode: Self { Self(.orderByCode) }
  package static var byPurchase: Self { Self(.orderByPurchase) }
  package static var byKey: Self { Self(.orderByKey) }
  package static var ofCustomer: Self { Self(.ordersOfCustomer) }
  package static var due: Self { Self(.ordersDue) }
}

extension RowIndex where Row == CatalogRow {
  package static var ofKind: Self { Self(.catalogOfKind) }
  package static var byCode: Self { Self(.catalogByCode) }
}

extension RowIndex where Row == EnvironmentRow {
  package static var inOrder: Self { Self(.environmentsInOrder) }
}

extension RowIndex where Row == DocumentRow {
  package static var byName: Self { Self(.documentByName) }
}
