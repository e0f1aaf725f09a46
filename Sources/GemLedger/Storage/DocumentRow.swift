/// Names a document, 1 to 255 bytes.
package typealias DocumentName = Identifier<DocumentNameKind>
/// The kind of ``DocumentName``.
package enum DocumentNameKind: IdentifierKind {
  package static let word = "document name"
  package static let byteCountMax = Limits.documentNameBytes
}

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
