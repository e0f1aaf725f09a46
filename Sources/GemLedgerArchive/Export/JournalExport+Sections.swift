internal import GemLedger

// Rows that can change after they were written: exported whole if any of them changed since the last export.

extension JournalExport {
  mutating func writeIfChanged(_ section: ExportSection) throws(LedgerError) {
    let known = position.sections[section.rawValue]
    if after != nil {
      let sum = ExportWriter(nil)
      try write(section, to: sum)
      position.sections[section.rawValue] = sum.checksum
      if sum.checksum == known { return }
    }
    let before = writer.checksum
    try write(section, to: writer)
    position.sections[section.rawValue] = writer.checksum &- before
  }

  /// Whether the ledger's own sums show that a section is as it was in the export before.
  func isKnown(_ section: ExportSection, _ sums: ExportPosition.Sums?) -> Bool {
    guard let sums, let known = after?.sums else { return false }
    return switch section {
    case .addedIDs: sums.addedIDs == known.addedIDs
    case .accountTokens: sums.accountTokens == known.accountTokens
    case .refusals, .evidence, .orders, .entitlements: false
    }
  }

  private func write(_ section: ExportSection, to writer: ExportWriter) throws(LedgerError) {
    let lines = lines.written(to: writer)
    switch section {
    case .addedIDs: try writeAddedIDs(lines)
    case .refusals: try writeRefusals(lines)
    case .evidence: try write("evidence", nil as EvidenceRow?, lines)
    case .orders: try write("order", OrderRow.blank, lines)
    case .accountTokens: try write("account_token", nil as AccountTokenRow?, lines)
    case .entitlements: try write("entitlement", nil as EntitlementRow?, lines)
    }
  }

  /// Writes a table after a row, with a line for each row.
  private func write<Row: ExportedRow>(
    _ type: StaticString, _ start: Row?, _ lines: JournalLines
  ) throws(LedgerError) {
    try scan.pages(after: start) { (rows: [Row]) throws(LedgerError) in
      for row in rows { try lines.write(type, row) }
    }
  }

  private func writeAddedIDs(_ lines: JournalLines) throws(LedgerError) {
    try CustomerRow.eachPage(in: snapshot) { (rows) throws(LedgerError) in
      let added = try snapshot.addedIDs(of: rows.map(\.number))
      if added.isEmpty { return }
      for row in rows {
        for id in (added[row.number] ?? []).sorted() {
          try lines.write("added_id", AddedIDRow(customer: row.number, id: id))
        }
      }
    }
  }

  private func writeRefusals(_ lines: JournalLines) throws(LedgerError) {
    try scan.keyPages(.notBooked) { (rows) throws(LedgerError) in
      for row in rows {
        guard row.keptRefusal != nil else {
          throw LedgerError(.booksWrong, "A key of customer \(row.customer) has neither a transaction nor a refusal.")
        }
        try lines.write("key", row)
      }
    }
  }
}
