/// The reads of an export beside those of `verify`: rows that nothing else reads from end to end.
package protocol ExportReads: StorageScan {
  /// In the order of their transactions.
  func notes(after: TransactionNumber, limit: Int) throws(LedgerError) -> [NoteRow]
  /// In any order that stays the same.
  func accountTokens(after: AccountTokenRow?, limit: Int) throws(LedgerError) -> [AccountTokenRow]
  /// In any order that stays the same.
  func refundEvidence(after: RefundEvidenceRow?, limit: Int) throws(LedgerError) -> [RefundEvidenceRow]
  /// All of them: a catalog changes seldom.
  func catalogVersions() throws(LedgerError) -> [CatalogVersionRow]
  /// Those keys among ``StorageScan/keys(after:limit:)``, in the same order; none only where there are no more.
  func keys(
    _ wanted: ExportedKeys, after: KeyScanPosition?, limit: Int
  ) throws(LedgerError) -> [(KeyRow, KeyScanPosition)]
}

/// Which keys are exported together.
package enum ExportedKeys: Sendable {
  /// The keys of transactions behind one.
  case booked(after: TransactionNumber)
  /// Those that keep refusals.
  case refused

  package func contains(_ row: KeyRow) -> Bool {
    switch (self, row.outcome) {
    case (.booked(let last), .booked(let transaction)): transaction > last
    case (.refused, .refused): true
    default: false
    }
  }
}

extension ExportReads {
  /// Looks at all keys.
  package func keys(
    _ wanted: ExportedKeys, after: KeyScanPosition?, limit: Int
  ) throws(LedgerError) -> [(KeyRow, KeyScanPosition)] {
    var last = after
    while true {
      let page = try keys(after: last, limit: limit)
      guard let end = page.last?.1 else { return [] }
      var found = page.filter { wanted.contains($0.0) }
      if !found.isEmpty {
        // The next page begins behind all that was looked at.
        found[found.count - 1].1 = end
        return found
      }
      last = end
    }
  }
}
