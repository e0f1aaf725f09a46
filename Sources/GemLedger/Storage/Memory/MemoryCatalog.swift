/// The catalog of a ledger that lives in memory.
struct MemoryCatalog {
  private(set) var version: Int64 = 0
  /// All versions of the catalog with their times of application, oldest first.
  private(set) var versions: [CatalogVersionRow] = []
  /// The rows by kind, in the order of their positions.
  private(set) var rows: [Int64: [CatalogRow]] = [:]
  private var byCode: [Int64: [ByteString: Int]] = [:]

  func row(_ key: IndexKey) -> CatalogRow? {
    guard let index = byCode[key.first]?[ByteString(key.text)] else { return nil }
    return rows[key.first]?[index]
  }

  mutating func replace(by rows: [CatalogRow], as versions: [CatalogVersionRow]) {
    self.versions += versions
    version = versions.last?.version ?? version
    self.rows = Dictionary(grouping: rows, by: \.kind.rawValue).mapValues { rows in
      rows.sorted { ($0.position, $0.code) < ($1.position, $1.code) }
    }
    byCode = self.rows.mapValues { rows in
      Dictionary(uniqueKeysWithValues: rows.enumerated().map { (ByteString($0.element.code), $0.offset) })
    }
  }
}
