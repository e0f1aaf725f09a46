package import GemLedger

/// Bodies that a server keeps until it can verify them: JSON documents, with the posting customer's id in `customer`.
package enum QuarantinedBodies {
  /// What the names of their documents begin with.
  package static let prefix = "quarantine/"

  /// How many are kept.
  ///
  /// - Throws: `LedgerError` where the storage fails.
  package static func count(in ledger: Ledger) throws(LedgerError) -> Int {
    var (count, last): (Int, String?) = (0, nil)
    while true {
      let page = try ledger.documents(withPrefix: prefix, after: last)
      count += page.count
      guard page.count == Limits.documentsPerPage else { return count }
      last = page.last?.name
    }
  }

  /// Removes what these customers posted.
  ///
  /// - Throws: `LedgerError` where the storage fails.
  package static func erase(_ ids: [CustomerID], in ledger: Ledger) throws(LedgerError) {
    let erased = Set(ids.map(\.text))
    var last: String?
    while true {
      let page = try ledger.documents(withPrefix: prefix, after: last)
      for document in page {
        let customer = (try? JSONValue.parse(document.content))?.object?["customer"]?.text
        guard let customer, erased.contains(customer) else { continue }
        // A server that tried it at this moment keeps it no longer, or asks again.
        try ledger.removeUnlessChanged(document)
      }
      guard page.count == Limits.documentsPerPage else { return }
      last = page.last?.name
    }
  }
}
