/// The address of a row: its number and its customer.
///
/// A storage that keeps the rows of one customer together finds a row by both.
package struct RowAddress: Hashable, Sendable {
  package var number: Int64
  /// The number of the customer that the row is stored with; nil if the caller cannot know it.
  package var customer: CustomerNumber?

  package init(_ number: Int64, of customer: CustomerNumber?) {
    self.number = number
    self.customer = customer
  }
}

/// The address of a checkpoint.
package struct CheckpointAddress: Hashable, Sendable {
  package var account: AccountNumber
  package var version: Int64

  package init(_ account: AccountNumber, version: Int64) {
    self.account = account
    self.version = version
  }
}

/// The number of units of an item that a customer owns.
package struct OwnedItemRow: Hashable, Sendable {
  package var customer: CustomerNumber
  package var item: ItemID
  package var quantity: Int64

  package init(customer: CustomerNumber, item: ItemID, quantity: Int64) {
    self.customer = customer
    self.item = item
    self.quantity = quantity
  }
}

/// The numbers of the journal's rows, as the storage counts them separately.
package struct JournalCounts: Hashable, Sendable {
  package var transactions: Int64
  package var entries: Int64
  /// Whether the storage draws sparse numbers (``Numbering``); false if it only keeps another storage's numbers.
  package var isSparse: Bool

  package init(transactions: Int64, entries: Int64, isSparse: Bool = true) {
    self.transactions = transactions
    self.entries = entries
    self.isSparse = isSparse
  }
}
