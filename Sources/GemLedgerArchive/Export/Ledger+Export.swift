public import GemLedger

/// The totals of an export.
public struct ExportSummary: Hashable, Sendable {
  /// The start of the next export.
  public let cursor: ExportCursor
  /// The number of transactions.
  public let transactions: Int64
  /// The number of their entries.
  public let entries: Int64
  /// The number of lines.
  public let lines: Int64
}

extension Ledger {
  /// Writes the whole journal as lines of JSON, or only the part after an earlier export.
  ///
  /// It is one snapshot: later transactions are in the next export. An export and all its successors, in order, are the
  /// whole journal without gaps. Imported into an empty storage they give an equal ledger. The page *Export* of
  /// GemLedger describes every line and field.
  ///
  /// Memory is bounded for a journal of any length.
  ///
  /// - Parameters:
  ///   - cursor: The end of the previous export; nil for the whole journal.
  ///   - progress: Called with the number of transactions written and their total.
  ///   - write: Receives the bytes, about 256 KB at a time; whole lines, each with its line feed.
  /// - Throws: ``LedgerError`` with `invalid_request` for a cursor of another project, `books_wrong` if the journal
  ///   lacks rows, or the errors of `write`.
  @discardableResult
  public func export(
    after cursor: ExportCursor? = nil, progress: (Int64, Int64) -> Void = { _, _ in },
    to write: @escaping ([UInt8]) throws(LedgerError) -> Void
  ) throws(LedgerError) -> ExportSummary {
    try reading { (snapshot, definitions) throws(LedgerError) -> ExportSummary in
      let position = try cursor?.position(salt: definitions.transactionIDs.salt)
      var export = try JournalExport(
        snapshot, definitions: definitions, after: position, laneCount: storage.traits.laneCount, write)
      return try export.run(after: cursor, progress)
    }
  }
}
