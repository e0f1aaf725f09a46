/// The catalog of a ledger that lives in memory.
struct MemoryCatalog {
  private(set) var version: Int64 = 0
  /// When each version of the catalog came into force, from the first.
  private(set) var versions: [CatalogVersionRow] = []
  private(set) var rows: [CatalogRow.Kind: [CatalogRow]] = [:]
  private var byCode: [CatalogRow.Kind: [ByteString: Int]] = [:]

  func row(_ kind: CatalogRow.Kind, code: String) -> CatalogRow? {
    guard let index = byCode[kind]?[ByteString(code)] else { return nil }
    return rows[kind]?[index]
  }

  mutating func replace(by rows: [CatalogRow], as versions: [CatalogVersionRow]) {
    self.versions += versions
    version = versions.last?.version ?? version
    self.rows = Dictionary(grouping: rows, by: \.kind)
    byCode = self.rows.mapValues { rows in
      Dictionary(uniqueKeysWithValues: rows.enumerated().map { (ByteString($0.element.code), $0.offset) })
    }
  }
}
