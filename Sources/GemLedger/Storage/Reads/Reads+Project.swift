// MARK: The catalog and the environments

extension StorageSnapshot {
  /// Returns the catalog's objects of a kind, in the order of their positions.
  package func catalogRows(_ kind: CatalogRow.Kind) throws(LedgerError) -> [CatalogRow] {
    try rows(CatalogRow.ofKind, [IndexKey(kind.rawValue)])
  }

  package func catalogRow(_ kind: CatalogRow.Kind, code: String) throws(LedgerError) -> CatalogRow? {
    try row(CatalogRow.byCode, IndexKey(kind.rawValue, text: code))
  }

  /// Returns all environments, in the order of their numbers: only test sessions draw numbers.
  package func environments() throws(LedgerError) -> [EnvironmentRow] {
    try page(EnvironmentRow.inOrder, IndexKey(), after: nil, limit: .max)
  }
}
