internal import GemLedger

/// Reads the journal with all rows of each transaction, and computes the digests again.
struct DigestWalk {
  private let snapshot: any StorageSnapshot
  private let purchases: IntegerMap<UInt64>
  private let erased: Set<CustomerNumber>
  private var parts: TransactionScans
  private var attributes: LotAttributesSource
  private var lots = NewLots()
  private(set) var sums = RecordSums()
  /// The expected sum of the digests of all transactions' keys, without those of erased customers.
  private(set) var keys: UInt64 = 0

  init(
    _ snapshot: any StorageSnapshot, _ scan: any StorageScan, purchases: IntegerMap<UInt64>,
    erased: Set<CustomerNumber>
  ) throws(LedgerError) {
    self.snapshot = snapshot
    self.purchases = purchases
    self.erased = erased
    let isDense = try snapshot.journalCounts() == nil
    lots.isDense = isDense
    parts = TransactionScans(scan, after: 0, passesOverLost: true)
    attributes = LotAttributesSource(snapshot, scan: isDense && snapshot.commitsInOrder ? scan : nil, after: nil)
  }

  /// Digests a page of the journal.
  ///
  /// - Returns: The transactions that differ from their booking.
  mutating func add(_ page: [TransactionRow]) throws(LedgerError) -> [TransactionRow] {
    var transactions: [ExportedTransaction] = []
    transactions.reserveCapacity(page.count)
    for row in page {
      var transaction = try parts.next(row)
      transaction.newLots = lots.note(transaction)
      transactions.append(transaction)
    }
    try attributes.load(transactions)
    var changed: [TransactionRow] = []
    // In place: a copy of a transaction would retain each of its lists.
    for index in transactions.indices {
      let row = transactions[index].row
      sums.add(transaction: row)
      if !erased.contains(row.customer) {
        keys &+= UInt64(bitPattern: row.erasable) &- (transactions[index].note.map(RowDigest.of) ?? 0)
      }
      if try digest(transactions[index]) != row.digest { changed.append(row) }
    }
    return changed
  }

  /// Ends the walk after the last transaction; see ``TransactionScans/countOrphans()``.
  mutating func countOrphans() throws(LedgerError) -> [(table: String, count: Int64)] { try parts.countOrphans() }

  func countsKeys(of row: TransactionRow) -> Bool { !erased.contains(row.customer) }

  func countsKey(_ row: KeyRow) -> Bool {
    row.bookedTransaction != nil && !erased.contains(row.customer)
  }

  private mutating func digest(_ transaction: ExportedTransaction) throws(LedgerError) -> Int64 {
    let row = transaction.row
    var sum = purchases[row.number] ?? 0
    for (index, (entry, allocations)) in transaction.entries.enumerated() {
      sum &+= RowDigest.of(entry, position: Int64(index))
      for allocation in allocations { sum &+= RowDigest.of(allocation, position: Int64(index)) }
    }
    for position in transaction.newLots {
      if let attributes = try attributes.attributes(ifAny: position) { sum &+= RowDigest.of(attributes) }
    }
    for item in transaction.items { sum &+= RowDigest.of(item) }
    for event in transaction.events { sum &+= RowDigest.of(event) }
    if let merge = transaction.merge { sum &+= RowDigest.of(merge) }
    if let refund = transaction.refund { sum &+= RowDigest.of(refund) }
    for part in transaction.refundParts { sum &+= RowDigest.of(part) }
    return RowDigest.of(row, parts: sum).stored
  }
}
