internal import GemLedger

/// Checks that transactions are unchanged, and that no row was added, removed or changed outside the ledger.
///
/// It compares the digests of transactions, and the sums over all other rows.
struct DigestCheck {
  /// The number of transactions in one comparison of keys, after the sums of keys differ.
  private static let transactionsPerKeyWindow = 1_000_000

  private let context: VerifyContext

  init(_ context: VerifyContext) { self.context = context }

  /// - Returns: The number of transactions that credit purchases.
  func run() throws(LedgerError) -> Int64 {
    var purchaseCount: Int64 = 0
    var owners = TransactionOwners()
    var walk = try DigestWalk(
      context.snapshot, context.scan, purchases: try purchaseDigests(), erased: try namelessCustomers())
    try context.pages(after: .blank) { (page: [TransactionRow]) throws(LedgerError) in
      for row in page {
        owners.add(row)
        if row.kind == .purchase { purchaseCount += 1 }
      }
      for row in try walk.add(page) {
        context.report(
          "digests_replay",
          "transaction \(row.number), of kind \(row.kind.name), or one of its rows differs from its booking")
      }
    }
    for (table, count) in try walk.countOrphans() {
      context.report(
        "rows_have_transactions", "\(count) of the \(table) belong to no transaction; an export omits them")
    }
    try checkKeys(walk, owners)
    try checkSums(walk.sums)
    return purchaseCount
  }

  private func purchaseDigests() throws(LedgerError) -> IntegerMap<UInt64> {
    let digests = IntegerMap<UInt64>()
    try context.pages(after: .blank) { (page: [PurchaseRow]) in
      for row in page { digests[row.transaction] = (digests[row.transaction] ?? 0) &+ RowDigest.of(row) }
    }
    return digests
  }

  private func namelessCustomers() throws(LedgerError) -> Set<CustomerNumber> {
    var erased: Set<CustomerNumber> = []
    try CustomerRow.eachPage(in: context.snapshot) { (page) throws(LedgerError) in
      try context.abandonment.check()
      for row in page where row.isErased(salt: context.definitions.transactionIDs.salt) { erased.insert(row.number) }
    }
    return erased
  }

  /// Checks that keys have transactions, and that keys and notes are unchanged for all customers that were not erased.
  ///
  /// Keys are not in journal order, so their sum is compared first. Only if it differs, the transactions are searched.
  private func checkKeys(_ walk: DigestWalk, _ owners: TransactionOwners) throws(LedgerError) {
    let check = KeyCheck(context, owners)
    var sum: UInt64 = 0
    try context.pages { (page: [KeyRow]) throws(LedgerError) in
      try check.check(page)
      for row in page where walk.countsKey(row) { sum &+= RowDigest.of(row) }
    }
    guard sum != walk.keys else { return }
    var found = 0
    for number in try transactionsWithOtherKeys(walk) {
      found += 1
      context.report(
        "keys_and_notes_replay", "the keys or the note of transaction \(number) differ from their booking")
    }
    if found == 0 {
      context.report("keys_and_notes_replay", "the keys of all transactions differ from the booked keys")
    }
  }

  /// Finds the transactions with other keys, in parts of the journal that bound the memory.
  private func transactionsWithOtherKeys(_ walk: DigestWalk) throws(LedgerError) -> [TransactionNumber] {
    let scan = context.scan
    var found: [TransactionNumber] = []
    var last: TransactionNumber = 0
    var notes = SortedRows<NoteRow>(scan, \.transaction, after: 0)
    while found.count < Verification.problemCountMax {
      let rest = IntegerMap<UInt64>()
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
      try context.pages { (page: [KeyRow]) in
        for row in page {
          guard let number = row.bookedTransaction, let left = rest[number] else { continue }
          rest[number] = left &- RowDigest.of(row)
        }
      }
      found += numbers.filter { rest[$0] != 0 }
    }
    return found
  }

  private func checkSums(_ transactions: RecordSums) throws(LedgerError) {
    guard let kept = try context.snapshot.recordSums() else {
      context.report("records_are_complete", "the sums of all rows are missing")
      return
    }
    var found = transactions
    try found.addRecords(of: context.snapshot)
    for kind in kept.differences(from: found) {
      context.report(
        "records_are_complete", "the \(kind) lack rows that the ledger wrote, or have other rows")
    }
  }
}
