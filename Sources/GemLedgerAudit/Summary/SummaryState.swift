internal import GemLedger

/// The progress of a summary: what its stored counters include.
///
/// The counters of activity include the journal up to ``position``. The counters of currencies include, as of the same
/// position, the accounts up to ``account``: a scan of the accounts adds them page by page, and the transactions
/// between two pages change only the accounts that were read already. So each page needs the end of the journal.
struct SummaryState: Hashable {
  static let documentName = "economy_summary"
  /// The activity that is shown, and a day for the clocks of several writers.
  private static let daysRead = 32

  var position: FeedPosition
  /// The transaction before the first one that was read.
  var first: TransactionNumber
  /// The transaction that was read last.
  var last: TransactionNumber
  /// The last account that was read: 0 before the scan, `.max` after it.
  var account: Int64 = 0
  var asOf = Timestamp(milliseconds: 0)

  var isComplete: Bool { account == .max }

  /// Begins a summary with the first transaction whose activity is shown.
  init(_ snapshot: any StorageSnapshot) throws(LedgerError) {
    let newest = try snapshot.newestInstant()
    let start = newest.advanced(milliseconds: Int64(-Self.daysRead) * 86_400_000)
    let scan = try snapshot.scan()
    var (low, high) = (TransactionNumber(0), try snapshot.sequences().transaction)
    while low < high {
      let middle = low + (high - low) / 2
      if let row = try scan.transactions(after: middle, limit: 1).first, row.createdAt < start {
        low = row.number
      } else {
        high = middle
      }
    }
    (first, last, position) = (low, low, FeedPosition(floor: low))
  }

  mutating func advance(past rows: [TransactionRow], isOrdered: Bool) {
    position.advance(past: rows.map(\.number), isOrdered: isOrdered)
    for row in rows { (last, asOf) = (max(last, row.number), max(asOf, row.createdAt)) }
  }

  /// The completed part of the first build: half of it is the journal, the other half the accounts.
  func progress(in snapshot: any StorageSnapshot) throws(LedgerError) -> Double {
    if isComplete { return 1 }
    let customers = try snapshot.last(.customer)
    let read = Double(AccountNumber(rawValue: account).customer) / Double(max(1, customers))
    // Below 1 until the scan has found the end of the accounts.
    if account > 0 { return 0.5 + 0.5 * min(0.99, read) }
    let end = try snapshot.sequences().transaction
    return 0.5 * min(1, Double(last - first) / Double(max(1, end - first)))
  }

  // MARK: The document

  var content: String {
    let document: JSONValue = [
      "position": .string(Base64URL.text(position.bytes)), "first": .integer(first), "last": .integer(last),
      "account": .integer(account), "as_of": .integer(asOf.milliseconds),
    ]
    return document.text()
  }

  /// - Throws: `storage_damaged` if the document was edited.
  init(_ document: DocumentRow) throws(LedgerError) {
    let object = try document.object()
    guard let bytes = object["position"]?.text.flatMap({ Base64URL.decode($0) }),
      let position = FeedPosition(bytes: bytes), let first = object["first"]?.integer,
      let last = object["last"]?.integer, let account = object["account"]?.integer,
      let asOf = object["as_of"]?.integer
    else { throw document.isDamaged }
    (self.position, self.first, self.last, self.account) = (position, first, last, account)
    self.asOf = Timestamp(milliseconds: asOf)
  }
}
