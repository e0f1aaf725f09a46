/// Reads every table from end to end in bounded steps.
package protocol StorageScan: AnyObject {
  /// Returns the rows of a table after a row, in the order of their keys; from the first row if it is nil.
  ///
  /// Only the key columns of `after` matter. The order of request keys depends on the storage.
  func page<Row: StoredRow>(after: Row?, limit: Int) throws(LedgerError) -> [Row]
  /// Begins the storage's low-level check; the returned closure waits for the problems found.
  func beginIntegrityCheck() throws(LedgerError) -> () throws(LedgerError) -> [String]
}

extension StorageScan {
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
