// Ids that only the ledger makes. A caller that could choose one would name an erased customer or a stock.

extension CustomerID {
  static let erasedPrefix = "$erased:"
  static let stockPrefix = "$stock:"

  /// Whether the id has the form of an erased customer's id.
  package var isOfErased: Bool { text.utf8.starts(with: Self.erasedPrefix.utf8) }

  /// Whether the id has the form of an id of an item's stock.
  var isOfStock: Bool { text.utf8.starts(with: Self.stockPrefix.utf8) }

  /// Whether the id is of a kind that only the ledger makes.
  @inline(__always)
  package var isReserved: Bool {
    // The first byte decides for nearly every id. The buffer is fast, since every command runs this check.
    let isDollar = text.utf8.withContiguousStorageIfAvailable { $0.first == UInt8(ascii: "$") }
    return isDollar != false && (isOfErased || isOfStock)
  }

  /// Makes the id of an item's stock.
  init(ofStock item: ItemID) { self.init(unchecked: Self.stockPrefix + item.text) }

  /// Makes the id of an erased customer, which names no customer.
  package init(ofErased number: CustomerNumber, salt: UInt64) {
    var hash = StableHash(seed: salt)
    hash.combine(UInt64(bitPattern: number))
    self.init(unchecked: Self.erasedPrefix + HexForm.hex(hash.value, digits: 16))
  }

  /// Returns the number of the erased customer, read from such an id with the project's salt; nil for another id.
  package func numberOfErased(salt: UInt64) -> CustomerNumber? {
    guard isOfErased, let hash = UInt64(text.dropFirst(Self.erasedPrefix.count), radix: 16) else { return nil }
    let number = CustomerNumber(bitPattern: StableHash.number(ofHash: hash, seed: salt))
    return number > 0 && CustomerID(ofErased: number, salt: salt) == self ? number : nil
  }
}

extension CustomerRow {
  /// Whether the customer was erased.
  ///
  /// The id's form alone is no proof: in a damaged or forged row the number can be another customer's.
  package func isErased(salt: UInt64) -> Bool { id.isOfErased && id.numberOfErased(salt: salt) == number }
}
