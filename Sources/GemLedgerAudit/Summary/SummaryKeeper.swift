package import GemLedger

/// Keeps an ``EconomySummary`` up to date, in documents of the ledger.
///
/// A refresh costs time in proportion to the transactions since the last one. The documents store how far the journal
/// was read, so any process continues there. Several processes may refresh: one of two concurrent refreshes is
/// discarded as a whole, and no transaction is counted twice.
///
/// The first build reads the transactions of the last 32 days, then all accounts with their lots, in steps of bounded
/// length. After it, a refresh reads at most ``transactionsMax`` transactions at a time; if more were booked, the
/// accounts are read again, which the summary reports as incomplete.
package struct SummaryKeeper: Sendable {
  /// The maximum number of transactions since the last refresh that are followed, a few seconds of work.
  package static let transactionsMax = 500_000

  private let ledger: Ledger
  private let transactionsMax: Int

  package init(_ ledger: Ledger, transactionsMax: Int = Self.transactionsMax) {
    self.ledger = ledger
    self.transactionsMax = transactionsMax
  }

  /// Reads what was booked since the last refresh and stores the result in one commit; or continues the first build.
  ///
  /// - Parameter limit: The approximate number of transactions and accounts that a step of the first build reads.
  /// - Returns: The stored summary, which may be another process's.
  /// - Throws: ``LedgerError`` with `storage_damaged` if rows are missing or a document was edited, or an error of the
  ///   storage.
  package func refresh(limit: Int = 20_000) throws(LedgerError) -> EconomySummary {
    let step = try ledger.reading { (snapshot, definitions) throws(LedgerError) -> SummaryStep? in
      var step = try SummaryStep(snapshot, definitions, limit: limit, transactionsMax: transactionsMax)
      return try step.run() ? step : nil
    }
    if let step {
      do throws(LedgerError) {
        try ledger.documents.save(
          SummaryState.documentName, content: step.state.content, replacing: step.version, and: step.documents)
      } catch {
        // Another process was first, and its result is as good.
        guard error.code == .conditionFailed else { throw error }
      }
    }
    if let summary = try current() { return summary }
    // Somebody removed the documents in between.
    return try refresh(limit: limit)
  }

  /// Returns the stored summary without a refresh; nil before the first one.
  ///
  /// - Throws: ``LedgerError`` with `storage_damaged` if a document was edited, or an error of the storage.
  package func current() throws(LedgerError) -> EconomySummary? {
    try ledger.reading { (snapshot, definitions) throws(LedgerError) -> EconomySummary? in
      guard let document = try snapshot.document(DocumentName(SummaryState.documentName)) else { return nil }
      let state = try SummaryState(document)
      var counts: [SummaryPlace: SummaryCounts] = [:]
      for document in try SummaryStep.documents(below: "", in: snapshot) {
        if let place = SummaryPlace(documentName: document.name.text) { counts[place] = try SummaryCounts(document) }
      }
      let now = try ledger.clock.now(in: snapshot)
      return EconomySummary(
        asOf: state.asOf, isComplete: state.isComplete, progress: try state.progress(in: snapshot),
        counts.filter { $0.key.isShown(asOf: now) }, definitions)
    }
  }
}
