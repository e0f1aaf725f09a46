internal import GemLedger

/// Registers the account tokens of customers that no app has registered.
///
/// Stores name a buyer by a token of the customer's id. A registration stores the tokens of an id; customers of
/// imports, of grants and of earlier versions have none until their app starts. Until then, a purchase with such a
/// token would be credited to its poster. A document stores the position in the list of customers, so that all
/// processes together read each customer once.
package struct AccountTokenWalk: Sendable {
  /// The number of pages of customers in one round.
  private static let pagesPerRound = 100
  private static let documentName = "account_token_walk"

  private let backend: LocalBackend

  package init(_ backend: LocalBackend) { self.backend = backend }

  /// A round of the walk; it counts `customers` (read) and `registered` (ids with new tokens).
  package var job: MaintenanceJob {
    MaintenanceJob("account_tokens") { _ throws(LedgerError) in
      let ledger = backend.ledger
      let saved = try ledger.documents.find(named: Self.documentName)
      let start = saved.flatMap { (try? JSONValue.parse($0.content))?["cursor"]?.text }
      var (cursor, customers, registered) = (start.map(PageCursor.init), 0, 0)
      for _ in 0..<Self.pagesPerRound where !Task.isCancelled {
        let page = try ledger.customers(after: cursor)
        for id in page.customers.flatMap(\.ids) where try await backend.registerTokens(of: id) { registered += 1 }
        customers += page.customers.count
        // The next round reads the last page again, with the customers that are new then.
        guard let next = page.next else { break }
        cursor = next
      }
      if let cursor, cursor.description != start {
        let content: JSONValue = ["cursor": .string(cursor.description)]
        try ledger.documents.saveUnlessChanged(Self.documentName, content: content.text(), replacing: saved?.version)
      }
      return ["customers": customers, "registered": registered]
    }
  }
}

extension LocalBackend {
  /// Registers the tokens of a known id, and credits the purchases that are held for them.
  ///
  /// - Returns: Whether a token was unknown.
  fileprivate func registerTokens(of id: CustomerID) async throws(LedgerError) -> Bool {
    // Apps cannot sign in with such an id, so no purchase names it.
    guard UserID.isAllowed(id), try !registry.areTokensKnown(of: id) else { return false }
    _ = try await register(id)
    return true
  }
}
