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
    func withoutOwner(_ key: IndexKey) -> IndexKey {
      var key = key
      key.owner = nil
      return key
    }
    // The journal's keys come in order, and differ without a look into a set.
    if zip(self, dropFirst()).allSatisfy({ $0.first < $1.first }) { return map(withoutOwner) }
    var known = Set<IndexKey>(minimumCapacity: count)
    return compactMap { key in
      let key = withoutOwner(key)
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
