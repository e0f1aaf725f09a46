internal import GemLedger
internal import Synchronization

/// A walk over all customers that makes known the tokens by which stores name them.
///
/// A registration makes an id's tokens known. Customers of imports, of grants and of earlier versions have none until
/// their app starts again; until then a purchase that names one of them by the digest of the id has no known buyer, and
/// would be credited to its poster. A walk is made once by each process, some pages a round.
package final class AccountTokenWalk: Sendable {
  private enum Position {
    case after(PageCursor?)
    case end
  }

  /// How many pages of customers a round looks at.
  private static let pagesPerRound = 100

  private let backend: LocalBackend
  private let position = Mutex(Position.after(nil))

  /// A walk that has not begun.
  package init(_ backend: LocalBackend) { self.backend = backend }

  /// A round of the walk; it counts `customers`, those looked at, and `registered`, ids whose tokens were not known.
  package var job: MaintenanceJob {
    MaintenanceJob("account_tokens") { [self] _ throws(LedgerError) in
      var (customers, registered) = (0, 0)
      for _ in 0..<Self.pagesPerRound {
        guard case .after(let cursor) = position.withLock({ $0 }), !Task.isCancelled else { break }
        let page = try backend.ledger.customers(after: cursor)
        for id in page.customers.flatMap(\.ids) where try await backend.registerTokens(of: id) { registered += 1 }
        customers += page.customers.count
        position.withLock { $0 = page.next.map { .after($0) } ?? .end }
      }
      return ["customers": customers, "registered": registered]
    }
  }
}

extension LocalBackend {
  /// Makes the tokens of a known id known, and credits the purchases that are held for them.
  ///
  /// - Returns: Whether one of them was not known.
  fileprivate func registerTokens(of id: CustomerID) async throws(LedgerError) -> Bool {
    // No app may sign in with another id, so no purchase names it.
    guard UserID.isAllowed(id), try !registry.areTokensKnown(of: id) else { return false }
    _ = try await register(id)
    return true
  }
}
