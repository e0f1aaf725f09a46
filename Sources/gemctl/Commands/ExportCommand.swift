import GemLedger
import GemLedgerArchive

#if canImport(Darwin)
import Darwin
#else
import Glibc
import LedgerCharts
#endif

/// `export`: the journal as lines of JSON, into a file or to standard output.
struct ExportCommand {
  let invocation: Invocation

  func run() throws {
    let cursor = invocation.parsed.value("--after").map(ExportCursor.init)
    guard let path = invocation.parsed.value("--output"), path != "-" else {
      _ = try write(to: .standardOutput, after: cursor)
      return
    }
    try FileAccess.checkIsNew(path)
    // An incomplete export must not be taken for a whole.
    let summary = try FileAccess.complete(path) { (part) throws(LedgerError) in
      try write(to: try OpenFile(part, O_WRONLY | O_CREAT | O_TRUNC), after: cursor)
    }
    let json: JSONValue = [
      "file": .string(path), "cursor": .string(summary.cursor.description),
      "transactions": .integer(summary.transactions), "entries": .integer(summary.entries),
      "lines": .integer(summary.lines),
    ]
    try invocation.print(json) { style in
      let count = AmountText.counted(summary.transactions, "transaction")
      return """
        \(style.green("Exported")) \(count) to \(SafeText.escaped(path)).
        \(style.dim("The next export: --after \(summary.cursor)"))

        """
    }
  }

  private func write(to file: OpenFile, after cursor: ExportCursor?) throws(LedgerError) -> ExportSummary {
    let ledger = try StorageChoice(invocation.settings.storage).open(invocation.home)
    defer { ledger.close() }
    // One part is written while the next is made; if the reader has closed the output, the command ends.
    var writing: BackgroundTask<Bool>?
    func finishWriting() throws(LedgerError) {
      if try writing?.wait() == false { exit(Terminal.brokenPipeStatus) }
    }
    let summary = try invocation.withProgress("Exporting") { (report) throws(LedgerError) in
      try ledger.export(after: cursor, progress: report) { bytes throws(LedgerError) in
        try finishWriting()
        writing = BackgroundTask { () throws(LedgerError) in try file.write(bytes) }
      }
    }
    try finishWriting()
    return summary
  }
}
