public import GemLedger

/// The totals of an export.
public struct ExportSummary: Hashable, Sendable {
  /// Where the next export goes on.
  public let cursor: ExportCursor
  /// How many transactions it holds.
  public let transactions: Int64
  /// How many entries those have.
  public let entries: Int64
  /// How many lines it has.
  public let lines: Int64
}

extension Ledger {
  /// Writes the whole journal as lines of JSON, or the part of it that is newer than an earlier export.
  ///
  /// It is one snapshot: transactions that are booked meanwhile are in the next one. An export together with all that
  /// follow it, in order, is the whole journal without gaps, and imported into an empty storage gives an equal ledger.
  /// The page *Export* of GemLedger has every line and field.
  ///
  /// Memory is bounded for a journal of any length.
  ///
  /// - Parameters:
  ///   - cursor: The end of the export before it; nil for the whole journal.
  ///   - progress: Called with the number of transactions written and their total.
  ///   - write: Takes the bytes, some 256 KB at a time; whole lines, each with its line feed.
  /// - Throws: ``LedgerError`` with `invalid_request` for a cursor that this project's exports did not give,
  ///   `books_wrong` where the journal lacks rows, or the errors of `write`.
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
