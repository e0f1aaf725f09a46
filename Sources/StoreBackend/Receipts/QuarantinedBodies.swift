package import GemLedger

/// Bodies that a server stores until it can verify them: JSON documents with the poster's customer id in `customer`.
package enum QuarantinedBodies {
  /// The prefix of their documents' names.
  package static let prefix = "quarantine/"

  /// Returns the number of stored bodies.
  ///
  /// - Throws: `LedgerError` if the storage fails.
  package static func count(in ledger: Ledger) throws(LedgerError) -> Int {
    var (count, last): (Int, String?) = (0, nil)
    while true {
      let page = try ledger.documents.page(withPrefix: prefix, after: last)
      count += page.count
      guard page.count == Limits.documentsPerPage else { return count }
      last = page.last?.name
    }
  }

  /// Removes the bodies that these customers posted.
  ///
  /// - Throws: `LedgerError` if the storage fails.
  package static func erase(_ ids: [CustomerID], in ledger: Ledger) throws(LedgerError) {
    let erased = Set(ids.map(\.text))
    var last: String?
    while true {
      let page = try ledger.documents.page(withPrefix: prefix, after: last)
      for document in page {
        let customer = (try? JSONValue.parse(document.content))?.object?["customer"]?.text
        guard let customer, erased.contains(customer) else { continue }
        // A server that verifies the body at this moment removes it itself, or tries again.
        try ledger.documents.removeUnlessChanged(document)
      }
      guard page.count == Limits.documentsPerPage else { return }
      last = page.last?.name
    }
  }
}
