/// Reads every table from end to end in bounded steps.
package protocol StorageScan: AnyObject {
  /// Returns the rows of a table after a row, in the order of their keys; from the first row if it is nil.
  ///
  /// Only the key columns of `after` matter. The order of request keys depends on the storage.
  func page<Row: StoredRow>(after: Row?, limit: Int) throws(LedgerError) -> [Row]
  /// Reads the keys of one kind, page by page, in the order of all keys.
  func keyPages(_ kind: KeyKind, _ body: ([KeyRow]) throws(LedgerError) -> Void) throws(LedgerError)
  /// Returns the keys of all transactions after a number, in the order of keys; nil if that takes a scan of all keys.
  ///
  /// - Parameters:
  ///   - digests: The sum of the digests of these keys, by which the search knows that it found all.
  ///   - limit: The maximum number of keys.
  func newestKeys(
    after number: TransactionNumber, digests: UInt64, limit: Int
  ) throws(LedgerError) -> [KeyRow]?
  /// Begins the storage's low-level check; the returned closure waits for the problems found.
  func beginIntegrityCheck() throws(LedgerError) -> () throws(LedgerError) -> [String]
}

extension StorageScan {
  package func keyPages(
    _ kind: KeyKind, _ body: ([KeyRow]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    try pages { (page: [KeyRow]) throws(LedgerError) in try body(page.filter(kind.contains)) }
  }

  package func newestKeys(
    after number: TransactionNumber, digests: UInt64, limit: Int
  ) throws(LedgerError) -> [KeyRow]? { nil }

  package func beginIntegrityCheck() -> () throws(LedgerError) -> [String] { { [] } }

  /// Reads a table from a row to its end, page by page.
  package func pages<Row: StoredRow>(
    after start: Row? = nil, of size: Int = ScanPage.size, _ body: ([Row]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var last = start
    while true {
      let page = try page(after: last, limit: size)
      if page.isEmpty { return }
      last = page.last
      try body(page)
    }
  }
}

/// The keys that a reader wants.
package enum KeyKind: Hashable, Sendable {
  /// Keys of transactions after a number.
  case booked(after: TransactionNumber)
  /// Keys with a kept refusal, and damaged keys without any outcome.
  case notBooked

  func contains(_ row: KeyRow) -> Bool {
    switch self {
    case .booked(let start): (row.bookedTransaction ?? 0) > start
    case .notBooked: (row.bookedTransaction ?? 0) <= 0
    }
  }
}
