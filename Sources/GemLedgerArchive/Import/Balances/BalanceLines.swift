import GemLedger

/// The lines of a file of balances, which are read one by one with progress in bytes.
///
/// A line that cannot be read becomes a problem, and the others are read all the same.
struct BalanceLines {
  /// Reports how many of how many bytes are read.
  typealias Progress = (_ done: Int64, _ total: Int64) -> Void

  let bytes: [UInt8]

  private var size: Int64 { Int64(bytes.count) }

  /// Whether the file has lines of JSON, and not comma-separated values.
  var areJSON: Bool { bytes.first { $0 > ASCII.space } == ASCII.leftBrace }

  /// Reads each line of JSON that is not blank.
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
