#if Server
package import GemLedger
internal import Synchronization

/// The catalog of a project, with what answers say about it beside that.
package struct ProjectCatalog: Sendable {
  /// Counts up with every change of the catalog.
  let version: Int64
  package let catalog: Catalog
  let definitions: CurrencyDefinitions
  /// When the project was made.
  let projectCreatedAt: Timestamp

  /// When the currency came into the catalog, or at the latest with the project.
  func createdAt(_ code: CurrencyCode) -> Timestamp {
    definitions.currency(code).flatMap { definitions.addedAt($0) } ?? projectCreatedAt
  }
}

/// Reads the catalog of a project once a version: a large one takes longer to parse than a request may take.
package final class CatalogReader: Sendable {
  private let ledger: Ledger
  private let last = Mutex<ProjectCatalog?>(nil)

  package init(_ ledger: Ledger) { self.ledger = ledger }

  /// The catalog as it is now.
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
