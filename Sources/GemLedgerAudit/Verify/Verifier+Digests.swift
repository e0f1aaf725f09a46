internal import GemLedger

// Whether every row is as the ledger wrote it: by the digests of transactions, and by the sums over all other rows.

extension Verifier {
  /// Proves that transactions are as they were booked, and that no row came, went or changed outside the ledger.
  ///
  /// - Parameter seal: A seal that was written down earlier; the journal must still begin with it.
  mutating func checkDigests(against seal: JournalSeal?) throws(LedgerError) {
    guard let scan = scan as? any ExportReads else { throw .defect("The storage cannot be read from end to end") }
    var walk = try DigestWalk(
      snapshot, scan, purchases: try purchaseDigests(), erased: try namelessCustomers(), seal: seal)
    var last: TransactionNumber = 0
    while true {
      let page = try scan.transactions(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { break }
      for row in try walk.add(page) {
        report(
          "digests_replay",
          "transaction \(row.number), of kind \(row.kind.name), or what belongs to it is not as it was booked")
      }
      last = end
    }
    digest = walk.sums.transactions
    journalEnd = walk.end
    try checkKeys(&walk, scan)
    try checkSums(walk.sums, scan)
    if let seal, !walk.covers(seal) {
      report(
        "seal_holds",
        "the journal no longer begins with the \(seal.transactions) transactions that were sealed: it has "
          + "\(walk.sealed.count) of them, with the digest \(JournalSeal.text(walk.sealed.sum))")
    }
  }

  private func purchaseDigests() throws(LedgerError) -> ReplayTable<UInt64> {
    let digests = ReplayTable<UInt64>()
    var last: Int64 = 0
    while true {
      let page = try scan.purchases(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { return digests }
      for row in page { digests[row.transaction] = (digests[row.transaction] ?? 0) &+ RowDigest.of(row) }
      last = end
    }
  }

  private func namelessCustomers() throws(LedgerError) -> Set<CustomerNumber> {
    var erased: Set<CustomerNumber> = []
    var last: CustomerNumber = 0
    while true {
      let page = try snapshot.customers(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { return erased }
      for row in page where row.isErased(salt: definitions.transactionIDs.salt) { erased.insert(row.number) }
      last = end
    }
  }

  /// Checks that keys and notes are unchanged, of all customers that were not erased.
  ///
  /// Keys lie in an order of their own, so their sum is compared first. Only where it differs, the transactions are
  /// looked for.
  private mutating func checkKeys(_ walk: inout DigestWalk, _ scan: any ExportReads) throws(LedgerError) {
    var sum: UInt64 = 0
    try forEachKey { row in
      if walk.countsKey(row) { sum &+= RowDigest.of(row) }
    }
    guard sum != walk.keys else { return }
    var found = 0
    for number in try transactionsWithOtherKeys(walk, scan) {
      found += 1
      report("keys_and_notes_replay", "the keys or the note of transaction \(number) are not as they were booked")
    }
    if found == 0 { report("keys_and_notes_replay", "the keys of all transactions are not those that were booked") }
  }

  private func forEachKey(_ body: (KeyRow) -> Void) throws(LedgerError) {
    var last: KeyScanPosition?
    while true {
      let page = try scan.keys(after: last, limit: ScanPage.size)
      guard let end = page.last?.1 else { return }
      for (row, _) in page { body(row) }
      last = end
    }
  }

  /// A part of the journal at a time, so that memory stays bounded.
  private func transactionsWithOtherKeys(
    _ walk: DigestWalk, _ scan: any ExportReads
  ) throws(LedgerError) -> [TransactionNumber] {
    var found: [TransactionNumber] = []
    var last: TransactionNumber = 0
    var notes = SortedRows<NoteRow>(\.transaction) { (row, limit) throws(LedgerError) in
      try scan.notes(after: row?.transaction ?? 0, limit: limit)
    }
    while found.count < Verification.problemCountMax {
      let rest = ReplayTable<UInt64>()
      var numbers: [TransactionNumber] = []
      while numbers.count < Self.transactionsPerKeyWindow {
        let page = try scan.transactions(after: last, limit: ScanPage.size)
        guard let end = page.last?.number else { break }
        for row in page {
          let note = try notes.take(row.number)
          guard walk.countsKeys(of: row) else { continue }
          rest[row.number] = UInt64(bitPattern: row.erasable) &- (note.map(RowDigest.of) ?? 0)
          numbers.append(row.number)
        }
        last = end
      }
      guard !numbers.isEmpty else { break }
      try forEachKey { row in
        guard let number = row.bookedTransaction, let left = rest[number] else { return }
        rest[number] = left &- RowDigest.of(row)
      }
      found += numbers.filter { rest[$0] != 0 }
    }
    return found
  }

  private mutating func checkSums(_ transactions: RecordSums, _ scan: any ExportReads) throws(LedgerError) {
    guard let kept = try snapshot.recordSums() else {
      report("records_are_complete", "the sums of all rows are missing")
      return
    }
    let found = try snapshot.countRecordSums(besides: transactions)
    for kind in kept.differences(from: found) {
      report("records_are_complete", "the \(kind) are not all of those, or not only those, that the ledger wrote")
    }
  }
}

/// Goes over the journal with all that belongs to each transaction, and digests it again.
struct DigestWalk {
  private let snapshot: any StorageSnapshot
  private let purchases: ReplayTable<UInt64>
  private let erased: Set<CustomerNumber>
  private let seal: JournalSeal?
  private var parts: TransactionScans
  private var attributes: LotAttributesSource
  private var lots = NewLots()
  private(set) var sums = RecordSums()
  /// The expected sum of the digests of all transactions' keys, those of erased customers apart.
  private(set) var keys: UInt64 = 0
  /// The sealed transactions that were found.
  private(set) var sealed: (count: Int64, sum: Int64) = (0, 0)
  private(set) var end = FeedPosition()

  init(
    _ snapshot: any StorageSnapshot, _ scan: any ExportReads, purchases: ReplayTable<UInt64>,
    erased: Set<CustomerNumber>, seal: JournalSeal?
  ) throws(LedgerError) {
    self.snapshot = snapshot
    self.purchases = purchases
    self.erased = erased
    self.seal = seal
    let isDense = try snapshot.journalCounts() == nil
    lots.isDense = isDense
    parts = TransactionScans(scan, after: 0, passesOverLost: true)
    attributes = LotAttributesSource(snapshot, scan: isDense && snapshot.commitsInOrder ? scan : nil, after: nil)
  }

  /// Digests a page of the journal.
  ///
  /// - Returns: The transactions that are not as they were booked.
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
    for transaction in transactions {
      let row = transaction.row
      sums.add(transaction: row)
      if seal?.position.covers(row.number) == true {
        sealed.count += 1
        sealed.sum &+= row.digest
      }
      if !erased.contains(row.customer) {
        keys &+= UInt64(bitPattern: row.erasable) &- (transaction.note.map(RowDigest.of) ?? 0)
      }
      if try digest(transaction) != row.digest { changed.append(row) }
    }
    end.advance(past: page.lazy.map(\.number), isOrdered: snapshot.commitsInOrder)
    return changed
  }

  func covers(_ seal: JournalSeal) -> Bool { sealed.count == seal.transactions && sealed.sum == seal.digest }

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
