/// Reads every table from end to end in bounded steps.
package protocol StorageScan: AnyObject {
  /// Returns the rows of a table behind one, in the order of their keys; from the first row where that is nil.
  ///
  /// Only the columns of the key of `after` matter.
  func page<Row: StoredRow>(after: Row?, limit: Int) throws(LedgerError) -> [Row]
  /// Each storage orders keys in its own way.
  func keys(after: KeyScanPosition?, limit: Int) throws(LedgerError) -> [(KeyRow, KeyScanPosition)]
  /// Those keys among ``keys(after:limit:)``, in the same order; none only where there are no more.
  func keys(
    _ wanted: ExportedKeys, after: KeyScanPosition?, limit: Int
  ) throws(LedgerError) -> [(KeyRow, KeyScanPosition)]
  /// The storage's own rows of a copy that is not complete, where this is one.
  func copyProgress() throws(LedgerError) -> CopyProgress?
  /// Begins the storage's own check below the level of rows; the returned closure waits for the problems that it finds.
  func beginIntegrityCheck() throws(LedgerError) -> () throws(LedgerError) -> [String]
}

/// Where a scan over the keys stands; each storage orders them in its own way.
package struct KeyScanPosition: Sendable {
  package var position: Int64
  package var row: KeyRow?

  package init(position: Int64, row: KeyRow?) {
    self.position = position
    self.row = row
  }
}

/// Which keys are exported together.
package enum ExportedKeys: Sendable {
  /// The keys of transactions behind one.
  case booked(after: TransactionNumber)
  /// Those that keep refusals.
  case refused

  package func contains(_ row: KeyRow) -> Bool {
    switch (self, row.outcome) {
    case (.booked(let last), .booked(let transaction)): transaction > last
    case (.refused, .refused): true
    default: false
    }
  }
}

extension StorageScan {
  package func copyProgress() throws(LedgerError) -> CopyProgress? { nil }

  /// Looks at all keys.
  package func keys(
    _ wanted: ExportedKeys, after: KeyScanPosition?, limit: Int
  ) throws(LedgerError) -> [(KeyRow, KeyScanPosition)] {
    var last = after
    while true {
      let page = try keys(after: last, limit: limit)
      guard let end = page.last?.1 else { return [] }
      var found = page.filter { wanted.contains($0.0) }
      if !found.isEmpty {
        // The next page begins behind all that was looked at.
        found[found.count - 1].1 = end
        return found
      }
      last = end
    }
  }
}
