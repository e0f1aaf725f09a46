import GemLedger
import GemLedgerArchive

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// `export`: the journal as lines of JSON, into a file or to standard output.
struct ExportCommand {
  let invocation: Invocation

  func run() throws {
    let cursor = invocation.parsed.value("--after").map(ExportCursor.init)
    guard let path = invocation.parsed.value("--output"), path != "-" else {
      _ = try write(to: OpenFile(), after: cursor)
      return
    }
    if FileAccess.exists(path) {
      throw LedgerError(
        .alreadyExists, "\(path.quotedForPeople) already exists; name a new file.", details: [.text("file", path)])
    }
    // The file gets its name at the end, so an incomplete export is not taken for a whole. Leftovers are overwritten.
    let part = "\(path).unfinished"
    let file = try OpenFile(part, O_WRONLY | O_CREAT | O_TRUNC)
    let summary: ExportSummary
    do throws(LedgerError) {
      summary = try write(to: file, after: cursor)
      try file.sync()
      try FileAccess.rename(part, to: path)
      try FileAccess.synchronizeDirectory(of: path)
    } catch {
      FileAccess.remove([part])
      throw error
    }
    try invocation.print(Self.json(summary, path), { Self.text(summary, path, style: $0) })
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

  private static func json(_ summary: ExportSummary, _ path: String) -> JSONValue {
    [
      "file": .string(path), "cursor": .string(summary.cursor.description),
      "transactions": .integer(summary.transactions), "entries": .integer(summary.entries),
      "lines": .integer(summary.lines),
    ]
  }

  private static func text(_ summary: ExportSummary, _ path: String, style: Style) -> String {
    """
    \(style.green("Exported")) \(AmountText.grouped(summary.transactions)) transactions to \(SafeText.escaped(path)).
    \(style.dim("The next export: --after \(summary.cursor)"))

    """
  }
}
