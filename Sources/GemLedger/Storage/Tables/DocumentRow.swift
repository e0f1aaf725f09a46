/// Names a document, 1 to 255 bytes.
package typealias DocumentName = Identifier<DocumentNameKind>

/// A JSON text that a service keeps in the storage under a name; not part of the journal.
package struct DocumentRow: Sendable {
  package var name: DocumentName
  /// From 1; counts up with every change.
  package var version: Int64
  package var content: String

  package init(name: DocumentName, version: Int64, content: String) {
    self.name = name
    self.version = version
    self.content = content
  }
}

extension DocumentRow: StoredRow {
  package static let table: StaticString = "documents"
  package static let checks = ["version > 0"]
  package static var blank: Self { Self(name: DocumentName(unchecked: ""), version: 0, content: "") }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.identifier("name", &name, .local)
    columns.number("version", &version, .local)
    columns.text("content", &content, .local)
  }
}

// MARK: Indexes

extension DocumentRow {
  package static var indexes: [RowIndex<Self>] { [byName] }

  package static let byName = RowIndex<Self>(
    "documentByName", key: [.text("name")], inMemory: .one { $0.cold.documents[DocumentName(unchecked: $1.text)] })
}

/// The kind of ``DocumentName``.
package enum DocumentNameKind: IdentifierKind {
  package static let word = "document name"
  package static let byteCountMax = Limits.documentNameBytes
}
