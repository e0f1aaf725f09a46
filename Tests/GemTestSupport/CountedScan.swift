internal import GemLedger

/// The scan of a ``CountedStorage``.
final class CountedScan: StorageScan {
  private let base: any StorageScan
  private let count: (String) -> Void

  init(_ base: any StorageScan, count: @escaping (String) -> Void) {
    self.base = base
    self.count = count
  }

  private func counted(_ question: String = #function) -> any StorageScan {
    count(question)
    return base
  }

  func page<Row: StoredRow>(after: Row?, limit: Int) throws(LedgerError) -> [Row] {
    try counted("page of \(Row.table)").page(after: after, limit: limit)
  }
  func beginIntegrityCheck() throws(LedgerError) -> () throws(LedgerError) -> [String] {
    try counted().beginIntegrityCheck()
  }
}
