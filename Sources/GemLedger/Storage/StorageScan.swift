/// Reads every table from end to end in bounded steps.
package protocol StorageScan: AnyObject {
  /// Returns the rows of a table after one, in the order of their keys; from the first row if that is nil.
  ///
  /// Only the columns of the key of `after` matter. Keys of requests come in an order of the storage's own.
  func page<Row: StoredRow>(after: Row?, limit: Int) throws(LedgerError) -> [Row]
  /// Begins the storage's check below the level of rows; the returned closure waits for the problems that it finds.
  func beginIntegrityCheck() throws(LedgerError) -> () throws(LedgerError) -> [String]
}

extension StorageScan {
  package func beginIntegrityCheck() -> () throws(LedgerError) -> [String] { { [] } }
}
