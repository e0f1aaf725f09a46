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
