internal import GemLedger
internal import GemLedgerArchive

/// An export with lines changed by hand and the checksum that fits them.
package enum ForgedExport {
  /// - Parameter change: Gives other lines for those between the first and the last.
  package static func lines(of export: Exported, _ change: ([String]) -> [String]) -> [UInt8] {
    text(of: export.lines, change)
  }

  package static func text(of lines: [String], _ change: ([String]) -> [String]) -> [UInt8] {
    let inner = change(Array(lines.dropFirst().dropLast()))
    var checksum = ExportWriter.hash(of: Array(lines[0].utf8)[...])
    for line in inner { checksum &+= ExportWriter.hash(of: Array(line.utf8)[...]) }
    var last = lines[lines.count - 1].replacing(
      "\"lines\":\(lines.count),", with: "\"lines\":\(inner.count + 2),")
    if let start = last.firstRange(of: "\"checksum\":\"")?.upperBound {
      last = String(last[..<start]) + HexForm.hex(checksum, digits: 16) + "\"}"
    }
    return Array(([lines[0]] + inner + [last]).map { $0 + "\n" }.joined().utf8)
  }
}
