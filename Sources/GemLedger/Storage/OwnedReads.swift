/// Reads of rows with a known owner.
///
/// A storage that is spread over machines by customer finds a row cheaply only by its owner. The owner is the
/// customer's own number at the time of writing; merges do not change it. Lots are the exception: a lot's row is stored
/// with its present owner, its attributes with every past and present owner.
package protocol OwnedReads: AnyObject {
  func transaction(_ number: TransactionNumber, of owner: CustomerNumber) throws(LedgerError) -> TransactionRow?
  func entry(_ number: EntryNumber, of owner: CustomerNumber) throws(LedgerError) -> EntryRow?
  /// Those on accounts of the owner at least.
  func entries(of transaction: TransactionNumber, of owner: CustomerNumber) throws(LedgerError) -> [EntryRow]
  /// The same, from the transaction's own row.
  func entries(of transaction: TransactionRow) throws(LedgerError) -> [EntryRow]
  func allocations(of entry: EntryNumber, of owner: CustomerNumber) throws(LedgerError) -> [AllocationRow]
  func note(_ transaction: TransactionNumber, of owner: CustomerNumber) throws(LedgerError) -> NoteRow?
  /// Those of the owner at least.
  func items(of transaction: TransactionNumber, of owner: CustomerNumber) throws(LedgerError) -> [ItemEntryRow]
  func lot(_ number: LotNumber, of owner: CustomerNumber) throws(LedgerError) -> LotRow?
  func lotAttributes(_ number: LotNumber, of owner: CustomerNumber) throws(LedgerError) -> LotAttributesRow?
  /// - Parameter owner: The credited customer.
  func refunds(of purchase: Int64, of owner: CustomerNumber) throws(LedgerError) -> [RefundRow]
  /// - Parameter owner: The customer that the refunded purchase was credited to.
  func refundParts(of transaction: TransactionNumber, of owner: CustomerNumber) throws(LedgerError) -> [RefundPartRow]
}

extension OwnedReads where Self: StorageSnapshot {
  package func transaction(
    _ number: TransactionNumber, of owner: CustomerNumber
  ) throws(LedgerError) -> TransactionRow? {
    try transaction(number)
  }
  package func entry(_ number: EntryNumber, of owner: CustomerNumber) throws(LedgerError) -> EntryRow? {
    try entry(number)
  }
  package func entries(
    of transaction: TransactionNumber, of owner: CustomerNumber
  ) throws(LedgerError) -> [EntryRow] {
    try entries(of: transaction)
  }
  package func entries(of transaction: TransactionRow) throws(LedgerError) -> [EntryRow] {
    try entries(of: transaction.number, of: transaction.customer)
  }
  package func allocations(
    of entry: EntryNumber, of owner: CustomerNumber
  ) throws(LedgerError) -> [AllocationRow] {
    try allocations(of: entry)
  }
  package func note(_ transaction: TransactionNumber, of owner: CustomerNumber) throws(LedgerError) -> NoteRow? {
    try note(transaction)
  }
  package func items(
    of transaction: TransactionNumber, of owner: CustomerNumber
  ) throws(LedgerError) -> [ItemEntryRow] {
    try items(of: transaction)
  }
  package func lot(_ number: LotNumber, of owner: CustomerNumber) throws(LedgerError) -> LotRow? { try lot(number) }
  package func lotAttributes(_ number: LotNumber, of owner: CustomerNumber) throws(LedgerError) -> LotAttributesRow? {
    try lotAttributes(number)
  }
  package func refunds(of purchase: Int64, of owner: CustomerNumber) throws(LedgerError) -> [RefundRow] {
    try refunds(of: purchase)
  }
  package func refundParts(
    of transaction: TransactionNumber, of owner: CustomerNumber
  ) throws(LedgerError) -> [RefundPartRow] {
    try refundParts(of: transaction)
  }
}
