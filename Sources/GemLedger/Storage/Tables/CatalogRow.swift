/// One object of the catalog: a currency, a product, an offering, an item, the settings, or an earlier version.
package struct CatalogRow: Hashable, Sendable {
  package enum Kind: Int64, CaseIterable, Sendable {
    case currency = 1
    case product = 2
    case offering = 3
    case item = 4
    case settings = 5
    /// A currency's document from the instant on that is the row's position, in milliseconds.
    case currencyVersion = 6
    /// A product's document until the instant that is the row's position, in milliseconds.
    case formerProduct = 7
  }

  /// The possible numbers of a currency: account numbers have ten bits for it.
  package static let currencyNumbers: Range<Int64> = 1..<1024

  package var kind: Kind
  package var code: String
  /// The position in its list: a currency's is its number in the ledger and never changes, a version's its instant.
  package var position: Int64
  package var document: String

  package init(kind: Kind, code: String, position: Int64, document: String) {
    self.kind = kind
    self.code = code
    self.position = position
    self.document = document
  }
}

extension CatalogRow: ExportedRow {
  package static let table: StaticString = "catalog"
  package static let keyColumnCount = 2
  package static var blank: Self { Self(kind: .settings, code: "", position: 0, document: "") }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.kind("kind", &kind, else: .settings, .exported)
    columns.text("code", &code, .exported)
    columns.value("position", &position, .exported(atLeast: 0, within: .amount))
    columns.text("document", &document, .exported(asJSON: true))
  }
}

extension CatalogRow.Kind: ExportedKind {
  package var name: String {
    switch self {
    case .currency: "currency"
    case .product: "product"
    case .offering: "offering"
    case .item: "item"
    case .settings: "settings"
    case .currencyVersion: "currency_version"
    case .formerProduct: "former_product"
    }
  }
}

// MARK: Indexes

extension CatalogRow {
  package static var indexes: [RowIndex<Self>] { [ofKind, byCode] }

  /// The catalog's objects of a kind, in the order of their positions.
  package static let ofKind = RowIndex<Self>(
    "catalogOfKind", key: ["kind"], order: ["position"], inMemory: .many { $0.catalog.rows[$1.first] ?? [] })
  package static let byCode = RowIndex<Self>(
    "catalogByCode", key: ["kind", .text("code")], inMemory: .one { $0.catalog.row($1) })
}

// MARK: Digest

extension RowDigest {
  static func of(_ row: CatalogRow) -> UInt64 {
    var digest = RowDigest(.catalogObject)
    digest.add(row.kind.rawValue)
    digest.add(row.code)
    digest.add(row.position)
    digest.add(row.document)
    return digest.value
  }
}
