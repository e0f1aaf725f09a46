/// Finds transactions and purchases that commands name, and the customers that have them now.
enum JournalLookup {
  /// Finds the transaction of an id and its current owner; nil also if the owner was erased.
  static func booked(_ books: borrowing Bookkeeper, _ id: TransactionID) throws(LedgerError) -> (
    row: TransactionRow, owner: FoundCustomer, id: CustomerID
  )? {
    guard let number = books.definitions.transactionIDs.number(of: id) else { return nil }
    guard let row = try books.work.journal.transaction(number),
      books.definitions.transactionIDs.id(number: number, createdAt: row.createdAt) == id
    else {
      return nil
    }
    var customer = try books.work.customers.known(row.customer)
    let original = customer.number
    // The keys of an erased customer are gone, so a repeated call could not be recognised.
    guard !customer.isErased(salt: books.definitions.transactionIDs.salt) else { return nil }
    if customer.mergedInto != 0 { customer = try books.work.customers.known(customer.mergedInto) }
    return (row, FoundCustomer(customer, original: original), customer.id)
  }
}
