/// The erasure of a customer: the ids and all texts about the customer are removed, the bookings stay.
///
/// The changed rows contain the customer's rows.
package struct ErasureRow: Hashable, Sendable {
  package var transaction: TransactionNumber
  /// All numbers of the customer.
  package var numbers: [CustomerNumber]
  /// The new id of each number's row; it names no customer.
  package var ids: [CustomerID]
  /// The original ids of the numbers, and the ids added later (`added`): all of them become free.
  ///
  /// Ids that the same commit gives are not included.
  package var former: [CustomerID]
  package var added: [AddedIDRow]

  package init(
    transaction: TransactionNumber, numbers: [CustomerNumber], ids: [CustomerID], former: [CustomerID],
    added: [AddedIDRow]
  ) {
    self.transaction = transaction
    self.numbers = numbers
    self.ids = ids
    self.former = former
    self.added = added
  }
}
