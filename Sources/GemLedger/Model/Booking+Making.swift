extension Booking {
  /// Makes a booking, for a custom backend or a preview.
  ///
  /// - Parameters:
  ///   - kind: The reason of the change.
  ///   - transactionID: The transaction's id; nil if there is none.
  ///   - customer: The customer with the changed balances.
  ///   - createdAt: When it was booked.
  ///   - entries: One entry for each currency, in the order of codes.
  ///   - items: The items gained or lost, in the order of their ids.
  ///   - isReplayed: Whether this is the answer of an earlier call.
  public init(
    _ kind: EntryKind, transactionID: TransactionID? = nil, customer: CustomerID, createdAt: Timestamp,
    entries: [PostedEntry], items: [PostedItem] = [], isReplayed: Bool = false
  ) {
    self.init(
      transactionID: transactionID, customer: customer, kind: kind, createdAt: createdAt,
      entries: CompactList(entries), items: items, isReplayed: isReplayed)
  }
}

extension PostedEntry {
  /// Makes an entry without its lots, for a custom backend or a preview.
  ///
  /// - Parameters:
  ///   - kind: The reason of the change.
  ///   - currency: The currency's code.
  ///   - amount: Negative for a spend.
  ///   - balance: The balance after it.
  ///   - debt: The customer's debt after it.
  ///   - version: The account's version after it.
  public init(
    _ kind: EntryKind, _ currency: CurrencyCode, amount: Int64, balance: Int64, debt: Int64 = 0, version: Int64 = 1
  ) {
    self.init(
      currency: currency, kind: kind, amount: amount, balance: balance, debt: debt, version: version,
      allocations: CompactList([]))
  }
}

extension PostedItem {
  /// Makes a change of owned items, for a custom backend or a preview.
  ///
  /// - Parameters:
  ///   - item: The item's id.
  ///   - quantity: Negative for lost items.
  ///   - owned: The owned quantity after it.
  public init(_ item: ItemID, quantity: Int64, owned: Int64) {
    self.init(item: item, quantity: quantity, owned: owned)
  }
}

extension Booking: CustomStringConvertible {
  /// A text such as `spend: GEM -50 to 1150`; the customer's id stays out of logs.
  public var description: String {
    let amounts = entries.map { "\($0.currency) \($0.amount < 0 ? "" : "+")\($0.amount) to \($0.balance)" }
    let counts = items.map { "\($0.item) \($0.quantity < 0 ? "" : "+")\($0.quantity)" }
    let changes = amounts + counts
    return "\(kind.name): " + (changes.isEmpty ? "no change" : changes.joined(separator: ", "))
      + (isReplayed ? " (replayed)" : "")
  }
}
