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
  func keys(after: KeyScanPosition?, limit: Int) throws(LedgerError) -> [(KeyRow, KeyScanPosition)] {
    try counted().keys(after: after, limit: limit)
  }
  func keys(
    _ wanted: ExportedKeys, after: KeyScanPosition?, limit: Int
  ) throws(LedgerError) -> [(KeyRow, KeyScanPosition)] {
    try counted().keys(wanted, after: after, limit: limit)
  }
  func copyProgress() throws(LedgerError) -> CopyProgress? { try counted().copyProgress() }
  func beginIntegrityCheck() throws(LedgerError) -> () throws(LedgerError) -> [String] {
    try counted().beginIntegrityCheck()
  }
}
