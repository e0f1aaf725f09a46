import GemLedger

/// The lines of a file of balances, read one by one with progress in bytes.
///
/// An unreadable line becomes a problem; reading continues.
struct BalanceLines {
  /// Reports the number of bytes read and their total.
  typealias Progress = (_ done: Int64, _ total: Int64) -> Void

  let bytes: [UInt8]

  private var size: Int64 { Int64(bytes.count) }

  /// Whether the file has lines of JSON, not comma-separated values.
  var areJSON: Bool { bytes.first { $0 > ASCII.space } == ASCII.leftBrace }

  /// Reads each JSON line that is not blank.
  func readJSON(
    _ problems: inout ImportProblems, progress: Progress,
    _ read: (ArraySlice<UInt8>, _ line: Int64) throws(LineFault) -> Void
  ) {
    let lines = bytes.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if index.isMultiple(of: 4096) { progress(Int64(line.startIndex), size) }
      if line.allSatisfy({ $0 <= ASCII.space }) { continue }
      let number = Int64(index) + 1
      do throws(LineFault) { try read(line, number) } catch { problems.add(number, error.message) }
    }
  }

  /// Reads each row of comma-separated values.
  func readRows(
    required: [[String]], optional: [String], ignored: [String] = [], _ problems: inout ImportProblems,
    progress: Progress, _ read: (CSVTable.Row) throws(LineFault) -> Void
  ) {
    let table = CSVTable(bytes, required: required, optional: optional, ignored: ignored, &problems) {
      progress(Int64($0) / 2, size)
    }
    for (index, row) in table.rows.enumerated() {
      // Reading the fields takes about as long as finding them.
      if index.isMultiple(of: 4096) {
        progress(Int64(bytes.count * (table.rows.count + index) / (2 * table.rows.count)), size)
      }
      do throws(LineFault) { try read(row) } catch { problems.add(row.line, error.message) }
    }
  }
}
