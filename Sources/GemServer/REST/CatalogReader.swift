#if Server
package import GemLedger
internal import Synchronization

/// The catalog of a project, with additional data that answers need.
package struct ProjectCatalog: Sendable {
  /// Increases with every change of the catalog.
  let version: Int64
  package let catalog: Catalog
  let definitions: CurrencyDefinitions
  /// The time when the project was created.
  let projectCreatedAt: Timestamp

  /// Returns the time when the currency was added to the catalog, or else the project's.
  func createdAt(_ code: CurrencyCode) -> Timestamp {
    definitions.currency(code).flatMap { definitions.addedAt($0) } ?? projectCreatedAt
  }
}

/// Reads the catalog of a project once per version, since parsing a large catalog is too slow for each request.
package final class CatalogReader: Sendable {
  private let ledger: Ledger
  private let last = Mutex<ProjectCatalog?>(nil)

  package init(_ ledger: Ledger) { self.ledger = ledger }

  /// Returns the current catalog.
  package func current() throws(LedgerError) -> ProjectCatalog {
    try ledger.reading { (snapshot, definitions) throws(LedgerError) -> ProjectCatalog in
      let version = try snapshot.catalogVersion()
      if let known = last.withLock({ $0 }), known.version == version { return known }
      let read = ProjectCatalog(
        version: version, catalog: try Catalog(in: snapshot), definitions: definitions,
        projectCreatedAt: try snapshot.project().createdAt)
      last.withLock { $0 = read }
      return read
    }
  }
}
#endif
